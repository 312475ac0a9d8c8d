package fitting

import (
	"strings"
	"testing"
)

// A corpus is a name, a number of topics and a path, which may have colons. A command line has its name in place of the path.
func TestParseCorpus(t *testing.T) {
	c, err := ParseCorpus("a:5:x:y/z")
	if err != nil || c != (Corpus{"a", 5, "x:y/z"}) || c.String() != "a:5:A" {
		t.Errorf("%+v, %v", c, err)
	}
	for _, text := range []string{"", "a", "a:5", "a:1:x", "a:b:x", ":5:x", "a:5:"} {
		if _, err := ParseCorpus(text); err == nil || !strings.Contains(err.Error(), "is not a") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
