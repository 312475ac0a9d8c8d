package corpus

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// drawn returns documents with repeated items, some with counts and some without.
func drawn(seed uint64, documents, items int) []Document {
	random := rand.New(rand.NewPCG(seed, 9))
	all := make([]Document, documents)
	for m := range all {
		length := random.IntN(30)
		if m%50 == 7 {
			length = 400 // beyond what is sorted by insertion
		}
		for range length {
			all[m].Items = append(all[m].Items, fmt.Sprintf("item-%d", int(float64(items)*math.Pow(random.Float64(), 3))))
			if m%2 == 0 {
				all[m].Counts = append(all[m].Counts, 1+random.Int32N(4))
			}
		}
	}
	return all
}

// naiveCounts returns the counts of the items of each document, and df and tf of all items.
func naiveCounts(documents []Document) (counts []map[string]int64, df, tf map[string]int64) {
	df, tf = map[string]int64{}, map[string]int64{}
	for _, d := range documents {
		of := map[string]int64{}
		for i, id := range d.Items {
			count := int64(1)
			if d.Counts != nil {
				count = int64(d.Counts[i])
			}
			of[id] += count
		}
		for id, count := range of {
			df[id]++
			tf[id] += count
		}
		counts = append(counts, of)
	}
	return counts, df, tf
}

// sequence returns documents one by one.
func sequence(documents []Document) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for _, d := range documents {
			if !yield(d, nil) {
				return
			}
		}
	}
}

// TestFromDocumentsAgainstNaive opens documents from a slice and from an iterator, in memory and on disk, for one pass
// and for several, with different numbers of workers. Passes must show the same documents in their order, with the
// counts of a naive map.
func TestFromDocumentsAgainstNaive(t *testing.T) {
	documents := drawn(1, 700, 300)
	counts, df, tf := naiveCounts(documents)
	for _, passes := range []int{0, 1, 3} {
		for _, workers := range []int{1, 3} {
			for _, dir := range []string{"", t.TempDir()} {
				for name, from := range map[string]func(Options) (*Corpus, error){
					"slice":    func(o Options) (*Corpus, error) { return FromDocuments(t.Context(), documents, o) },
					"iterator": func(o Options) (*Corpus, error) { return FromSeq(t.Context(), sequence(documents), o) },
				} {
					if passes == 3 && dir == "" && workers == 3 {
						continue
					}
					c, err := from(Options{NoPrune: true, Passes: passes, Workers: workers, Dir: dir, MinItems: 1, MinTokens: 1})
					if err != nil {
						t.Fatal(err)
					}
					if c.Copied() != (passes != 1) || c.Growing() != (passes == 1) {
						t.Errorf("%d passes: copied %v, growing %v", passes, c.Copied(), c.Growing())
					}
					for range max(passes, 1) {
						checkPass(t, c, counts)
					}
					for id := range df {
						i, known := c.Vocabulary.Lookup([]byte(id))
						if !known || c.Vocabulary.DocumentFrequency[i] != df[id] || c.Vocabulary.TermFrequency[i] != tf[id] {
							t.Fatalf("%s: counts of %s", name, id)
						}
					}
					if err := c.Close(); err != nil {
						t.Fatal(err)
					}
					if entries, _ := os.ReadDir(dir); dir != "" && len(entries) > 0 {
						t.Errorf("left behind: %v", entries)
					}
				}
			}
		}
	}
}

// checkPass checks that a pass shows exactly the documents of at least two tokens.
func checkPass(t *testing.T, c *Corpus, counts []map[string]int64) {
	t.Helper()
	var want []map[string]int64
	for _, of := range counts {
		sum := int64(0)
		for _, count := range of {
			sum += count
		}
		if sum >= 2 {
			want = append(want, of)
		}
	}
	at := 0
	err := c.Pass(t.Context(), func(docs *Documents) error {
		for d := range docs.Documents() {
			items, counts := docs.Row(d)
			if at == len(want) || len(items) != len(want[at]) {
				return fmt.Errorf("document %d has %d items", at, len(items))
			}
			for j, item := range items {
				if want[at][c.Vocabulary.ID(int(item))] != int64(counts[j]) || j > 0 && items[j-1] >= item {
					return fmt.Errorf("document %d has %s %d times", at, c.Vocabulary.ID(int(item)), counts[j])
				}
			}
			at++
		}
		return nil
	})
	if err != nil || at != len(want) || c.Account.Documents != int64(len(want)) ||
		c.Account.DocumentsRead != int64(len(counts)) {
		t.Fatalf("%d of %d documents, account %+v, %v", at, len(want), c.Account, err)
	}
}

// TestFixedVocabulary checks that items that a fixed vocabulary lacks are left out and counted, and that it keeps its
// own counts.
func TestFixedVocabulary(t *testing.T) {
	documents := []Document{{Items: []string{"a", "b", "x", "x"}}, {Items: []string{"b", "y", "a"},
		Counts: []int32{2, 5, 1}}}
	fixed := NewVocabulary()
	for _, id := range []string{"b", "never", "a"} {
		fixed.Intern([]byte(id))
	}
	c, err := FromDocuments(t.Context(), documents, Options{Vocabulary: fixed, MinItems: 1, MinTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if a := c.Account; a.UnknownTokens != 7 || a.Tokens != 5 || a.Entries != 4 || !a.FixedVocabulary || a.Items != 3 {
		t.Errorf("account %+v", a)
	}
	if got := fmt.Sprint(c.Vocabulary.DocumentFrequency, c.Vocabulary.TermFrequency); got != "[2 0 2] [3 0 2]" ||
		fixed.Counted {
		t.Errorf("counts %s; the vocabulary that was given is counted: %v", got, fixed.Counted)
	}
	counted := c.Vocabulary
	counted.DocumentFrequency[0] = 70
	again, err := FromDocuments(t.Context(), documents, Options{Vocabulary: counted, MinItems: 1, MinTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Vocabulary.DocumentFrequency[0] != 70 {
		t.Error("counts that the vocabulary brought along are gone")
	}
}

// TestFromDocumentsRefuses checks that malformed documents are refused with their number.
func TestFromDocumentsRefuses(t *testing.T) {
	good := Document{Items: []string{"a", "b", "c"}}
	for want, bad := range map[string]Document{
		"document 3 has 1 items and 2 counts":            {Items: []string{"a"}, Counts: []int32{1, 2}},
		`document 3 has count 0 for item "b"`:            {Items: []string{"a", "b"}, Counts: []int32{1, 0}},
		`document 3 has count -1 for item "a"`:           {Items: []string{"a"}, Counts: []int32{-1}},
		"document 3 has an empty item":                   {Items: []string{"a", ""}},
		`document 3 has the item "\xff", which is not`:   {Items: []string{"\xff"}},
		"document 3 has an item of 65537 bytes":          {Items: []string{strings.Repeat("x", 65537)}},
		"document 3 has an item more than 2147483647 ti": {Items: []string{"a", "a"}, Counts: []int32{math.MaxInt32, 1}},
	} {
		_, err := FromDocuments(t.Context(), []Document{good, good, bad, good}, Options{NoPrune: true,
			MinItems: 1, MinTokens: 1})
		var data *DataError
		if !errors.As(err, &data) || data.Lack != BadDocument || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	failure := errors.New("the database went away")
	_, err := FromSeq(t.Context(), func(yield func(Document, error) bool) {
		_ = yield(good, nil) && yield(Document{}, failure)
	}, Everything())
	if err != failure {
		t.Errorf("an error of the iterator: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FromDocuments(ctx, []Document{good}, Everything()); err != context.Canceled {
		t.Errorf("a context that is done: %v", err)
	}
}

// TestNothingToLearnFrom checks the Lack of corpora from which nothing can be learned.
func TestNothingToLearnFrom(t *testing.T) {
	few := []Document{{Items: []string{"a", "b"}}, {Items: []string{"b", "c"}}}
	for name, test := range map[string]struct {
		documents []Document
		options   Options
		lack      Lack
	}{
		"no documents": {nil, Options{NoPrune: true, MinItems: 1, MinTokens: 1}, NoDocuments},
		"no items":     {[]Document{{}, {}}, Options{NoPrune: true, MinItems: 1, MinTokens: 1}, NoItems},
		"all pruned": {few, Options{Pruning: Pruning{MinDF: 3, MaxDFRatio: 1}, MinItems: 1, MinTokens: 1},
			AllItemsPruned},
		"too short":       {few, Options{NoPrune: true, MinItems: 3, MinTokens: 1}, AllDocumentsShort},
		"too few tokens":  {few, Options{NoPrune: true, MinTokens: 9, MinItems: 1}, AllDocumentsShort},
		"too short, once": {few, Options{NoPrune: true, MinItems: 3, Passes: 1, MinTokens: 1}, AllDocumentsShort},
	} {
		c, err := FromDocuments(t.Context(), test.documents, test.options)
		if err == nil {
			err = c.Pass(t.Context(), func(*Documents) error { return nil })
			c.Close()
		}
		var data *DataError
		if !errors.As(err, &data) || data.Lack != test.lack || data.Error() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCountItems(t *testing.T) {
	documents := drawn(2, 300, 100)
	_, df, _ := naiveCounts(documents)
	read := func(ctx context.Context, o ReadingOptions, fn func(*Documents) error) (*Intake, error) {
		r := newMemoryReading(ctx, o, fn)
		for _, d := range documents {
			if err := r.add(d); err != nil {
				return nil, err
			}
		}
		return r.finish()
	}
	v, account, err := CountItems(t.Context(), read, Options{Pruning: Pruning{MinDF: 20, MaxDFRatio: 1},
		MinItems: 1, MinTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, n := range df {
		if n >= 20 {
			kept++
		}
	}
	if v.Len() != kept || account.Items != kept || account.Pruned.MinDF.Items != int64(len(df)-kept) ||
		account.DocumentsRead != 300 {
		t.Errorf("%d items, account %+v, want %d", v.Len(), account, kept)
	}
}

func TestReadingProgress(t *testing.T) {
	var stages []string
	last := int64(0)
	c, err := FromDocuments(t.Context(), drawn(3, 2500, 50), Options{NoPrune: true, Progress: func(stage string,
		done, total int64) {
		if done < last || total != 2500 {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		stages, last = append(stages, stage), done
	}, MinItems: 1, MinTokens: 1})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if fmt.Sprint(stages) != "[reading reading reading]" || last != 2500 {
		t.Errorf("stages %v, %d at the end", stages, last)
	}
}
