package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/internal/long"
	"anchorage/internal/random"
)

// randomDocuments returns n documents of up to most items; the items of document i are those of every kind of document.
func randomDocuments(seed uint64, n, items, most int) []Document {
	documents := make([]Document, n)
	for m := range documents {
		at := func(i int) uint64 { return random.At(seed, random.Test, uint64(m), uint64(i)) }
		for i := range int(at(0) % uint64(most+1)) {
			documents[m].Items = append(documents[m].Items, fmt.Sprint("item", at(i+1)%uint64(items)*(at(i+1)>>40%3)))
		}
	}
	return documents
}

// stored copies parts of documents one by one, numbers their items backwards, and returns what OpenStored takes.
func stored(t *testing.T, parts [][]Document) Stored {
	t.Helper()
	s := Stored{Intake: &Intake{Vocabulary: NewVocabulary()}}
	global := NewVocabulary() // numbers of the copies
	for i := range 20000 {
		global.Intern([]byte(fmt.Sprint("item", 20000-i)))
	}
	global.Intern([]byte("item0"))
	var copies []*Copy
	for i, documents := range parts {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i))
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		writer, err := NewCopyWriter(file)
		if err != nil {
			t.Fatal(err)
		}
		local := newMemoryReading(t.Context(), ReadingOptions{}, func(docs *Documents) error { return nil })
		for _, d := range documents {
			if err := local.add(d); err != nil {
				t.Fatal(err)
			}
		}
		part, err := local.finish()
		if err != nil {
			t.Fatal(err)
		}
		v := s.Intake.Vocabulary
		for i := range part.Vocabulary.Len() {
			at := v.Intern(part.Vocabulary.id(i))
			v.DocumentFrequency[at] += part.Vocabulary.DocumentFrequency[i]
			v.TermFrequency[at] += part.Vocabulary.TermFrequency[i]
		}
		s.Intake.Documents, s.Intake.Entries, s.Intake.Tokens = s.Intake.Documents+part.Documents,
			s.Intake.Entries+part.Entries, s.Intake.Tokens+part.Tokens
		renumbered := newMemoryReading(t.Context(), ReadingOptions{Growing: global}, func(docs *Documents) error {
			s.Tally.Add(docs)
			return writer.Append(docs)
		})
		for _, d := range documents {
			if err := renumbered.add(d); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := renumbered.finish(); err != nil {
			t.Fatal(err)
		}
		if err := writer.Close(); err != nil {
			t.Fatal(err)
		}
		c, err := OpenCopyAt(path)
		if err != nil {
			t.Fatal(err)
		}
		copies = append(copies, c)
	}
	s.Intake.Vocabulary.Counted = true
	s.Copy = Join(copies)
	s.Numbers = make([]int32, global.Len())
	for i := range s.Numbers {
		s.Numbers[i], _ = s.Intake.Vocabulary.Lookup(global.id(i))
	}
	return s
}

// passed returns what a pass over a corpus shows, and its account.
func passed(t *testing.T, c *Corpus, err error) (documents Documents, ids []string, account Account) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	err = c.Pass(t.Context(), func(docs *Documents) error {
		for m := range docs.Documents() {
			documents.Append(docs.Row(m))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Vocabulary.Len() {
		ids = append(ids, c.Vocabulary.ID(i))
	}
	return documents, ids, c.Account
}

// TestStored wants the corpus of stored documents to be that of the same documents.
func TestStored(t *testing.T) {
	byKind := Options{}
	for name, test := range map[string]struct {
		documents []Document
		options   Options
	}{
		"texts":        {randomDocuments(1, 2000, 300, 120), byKind},
		"baskets":      {randomDocuments(2, 5000, 200, 4), byKind},
		"long baskets": {randomDocuments(3, 5000, 500, 30), byKind},
		"blocks":       {randomDocuments(4, 20000, 20000, 16), byKind},
		"all items":    {randomDocuments(5, 1000, 50, 10), Options{NoPrune: true, MinItems: 1, MinTokens: 1}},
		"one pass":     {randomDocuments(6, 1000, 50, 10), Options{NoPrune: true, Passes: 1}},
		"few items": {randomDocuments(7, 1000, 50, 10), Options{Pruning: Pruning{MaxItems: 20,
			Stopwords: map[string]struct{}{"item7": {}}, MinDF: 1, MaxDFRatio: 1}, MinItems: 2, MinTokens: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := FromDocuments(t.Context(), test.documents, test.options)
			documents, ids, account := passed(t, c, err)
			n := len(test.documents)
			for _, cuts := range long.Grid(1, []int{0, n / 3, n / 3, n}, []int{0, n}, []int{0, 1, n / 2, n - 1, n}) {
				var parts [][]Document
				for i := range len(cuts) - 1 {
					parts = append(parts, test.documents[cuts[i]:cuts[i+1]])
				}
				c, err := OpenStored(t.Context(), stored(t, parts), test.options)
				got, gotIDs, gotAccount := passed(t, c, err)
				if !slices.Equal(got.Offsets, documents.Offsets) || !slices.Equal(got.Items, documents.Items) ||
					!slices.Equal(got.Counts, documents.Counts) {
					t.Errorf("cut at %v: other documents", cuts)
				}
				if !slices.Equal(gotIDs, ids) {
					t.Errorf("cut at %v: other items", cuts)
				}
				if gotAccount != account {
					t.Errorf("cut at %v: %+v, want %+v", cuts, gotAccount, account)
				}
			}
		})
	}
}

// TestStoredErrors wants the errors of an ordinary corpus, and the copy to be closed.
func TestStoredErrors(t *testing.T) {
	for lack, documents := range map[Lack][]Document{NoDocuments: nil, NoItems: {{}, {}},
		AllItemsPruned: {{Items: []string{"a"}}}} {
		s := stored(t, [][]Document{documents})
		closed := false
		s.Copy.close = func() error { closed = true; return nil }
		_, err := OpenStored(t.Context(), s, Options{Pruning: Pruning{MinDF: 5, MaxDFRatio: 1}, MinItems: 1, MinTokens: 1})
		if known, ok := err.(*DataError); !ok || known.Lack != lack || !closed {
			t.Errorf("%d: %v, closed: %v", lack, err, closed)
		}
	}
}

// TestJoinedDamage wants damage in one of several copies to be named.
func TestJoinedDamage(t *testing.T) {
	s := stored(t, [][]Document{randomDocuments(1, 100, 20, 5), randomDocuments(2, 100, 20, 5)})
	path := s.Copy.parts[1].name
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[headerSize+blockHeaderSize+3] ^= 1
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = s.Copy.Pass(context.Background(), 2, nil, func(*Documents) error { return nil })
	if !errors.Is(err, ErrCorrupt) || !strings.HasPrefix(err.Error(), path+": ") ||
		!strings.Contains(err.Error(), "block 1:") {
		t.Errorf("error %v", err)
	}
}
