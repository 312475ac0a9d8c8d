package corpus

import (
	"errors"
	"slices"
	"testing"

	"go.uber.org/goleak"
)

// errTest is the error of functions that fail in tests.
var errTest = errors.New("test error")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collected holds all documents of a pass as one run.
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
