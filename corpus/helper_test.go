package corpus

import (
	"errors"
	"slices"
	"testing"

	"go.uber.org/goleak"
)

// errTest is what functions fail with in tests.
var errTest = errors.New("test error")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collected is what a pass delivered, as one run of documents.
type collected struct{ Documents }

func (c *collected) add(d *Documents) error {
	for m := range d.Documents() {
		c.Append(d.Row(m))
	}
	return nil
}

// sameCounts reports whether two vocabularies number the same items alike, with the same counts.
func sameCounts(a, b *Vocabulary) bool {
	return a.Fingerprint() == b.Fingerprint() && a.Counted == b.Counted &&
		slices.Equal(a.DocumentFrequency, b.DocumentFrequency) && slices.Equal(a.TermFrequency, b.TermFrequency)
}

// entry32 is an item of a document by its index.
type entry32 struct{ item, count int32 }
