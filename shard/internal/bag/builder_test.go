package bag

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"anchorage/shard/documents"
)

// entry is an item and its count, as the naive twin of the builder keeps them.
type entry struct {
	id    string
	count int32
}

// naive collects documents in the plainest way.
type naive struct{ documents [][]entry }

func (n *naive) add(document int, id string, count int32) {
	for len(n.documents) <= document {
		n.documents = append(n.documents, nil)
	}
	for i, e := range n.documents[document] {
		if e.id == id {
			n.documents[document][i].count += count
			return
		}
	}
	n.documents[document] = append(n.documents[document], entry{id, count})
}

// documentsOf returns what a batch holds, and fails the test where the batch breaks a promise.
func documentsOf(t *testing.T, b *documents.Batch) (documents [][]entry) {
	t.Helper()
	if len(b.Items) != len(b.Counts) || len(b.Offsets) == 0 || int(b.Offsets[b.Documents()]) != len(b.Items) {
		t.Fatalf("batch of unequal lengths: %d offsets, %d items, %d counts", len(b.Offsets), len(b.Items), len(b.Counts))
	}
	next := int32(0)
	for d := range b.Documents() {
		var document []entry
		for at := b.Offsets[d]; at < b.Offsets[d+1]; at++ {
			if b.Items[at] > next {
				t.Fatalf("code %d comes before code %d", b.Items[at], next)
			}
			next = max(next, b.Items[at]+1)
			document = append(document, entry{string(b.Dictionary.ID(int(b.Items[at]))), b.Counts[at]})
		}
		documents = append(documents, document)
	}
	if int(next) != b.Dictionary.Len() {
		t.Fatalf("%d ids for %d codes", b.Dictionary.Len(), next)
	}
	return documents
}

// TestBuilderAgainstNaive feeds random items, by bytes, by number and in runs, to builders of several batch sizes.
func TestBuilderAgainstNaive(t *testing.T) {
	for _, size := range []int{1, 2, 3, 7, 64, 1000, 0} {
		for _, way := range []string{"bytes", "numbers", "runs"} {
			t.Run(fmt.Sprint(way, " ", size), func(t *testing.T) {
				random := rand.New(rand.NewPCG(uint64(size), 7))
				var want naive
				var got [][]entry
				b := NewBuilder(size, false)
				batch := new(documents.Batch)
				b.Begin(batch, 0)
				for d := range 300 {
					want.add(d, "x", 0)
					want.documents[d] = nil
					var codes, counts []int32
					for range random.IntN(12) {
						number := int64(random.IntN(40)) * 3
						if random.IntN(5) == 0 {
							number += smallNumbers
						}
						count := int32(1 + random.IntN(4))
						want.add(d, strconv.FormatInt(number, 10), count)
						var code int32
						var err error
						if way == "bytes" {
							code, err = b.CodeOfBytes(strconv.AppendInt(nil, number, 10))
						} else {
							code, err = b.CodeOfNumber(number)
						}
						if err != nil {
							t.Fatal(err)
						}
						if way == "runs" {
							codes, counts = append(codes, code), append(counts, count)
						} else if err := b.Add(code, count); err != nil {
							t.Fatal(err)
						}
					}
					if err := b.AddRun(codes, counts); err != nil {
						t.Fatal(err)
					}
					if b.EndDocument() {
						b.Finish()
						got = append(got, documentsOf(t, batch)...)
						b.Begin(batch, int64(len(got)))
						if batch.FirstRow != int64(d+1) {
							t.Fatalf("the batch begins with row %d after %d documents", batch.FirstRow, d+1)
						}
					}
				}
				b.Finish()
				got = append(got, documentsOf(t, batch)...)
				if !slices.EqualFunc(got, want.documents, slices.Equal) {
					t.Errorf("got %v\nwant %v", got, want.documents)
				}
			})
		}
	}
}

// TestBatchComplete checks at what a batch is complete.
func TestBatchComplete(t *testing.T) {
	documents := func(b *Builder, items int, id string) int {
		batch := new(documents.Batch)
		b.Begin(batch, 0)
		for n := 1; ; n++ {
			for i := range items {
				code, err := b.CodeOfBytes([]byte(fmt.Sprint(id, n, "/", i)))
				if err == nil {
					err = b.Add(code, 1)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			if b.EndDocument() {
				b.Finish()
				return n
			}
		}
	}
	if got := documents(NewBuilder(10, false), 3, ""); got != 4 {
		t.Errorf("10 entries are full after %d documents of 3", got)
	}
	if got := documents(NewBuilder(10, false), 0, ""); got != 10 {
		t.Errorf("10 entries are full after %d empty documents", got)
	}
	if got := documents(NewBuilder(0, false), 0, ""); got != maxBatchDocuments {
		t.Errorf("a batch of the usual size is full after %d empty documents", got)
	}
	if got := documents(NewBuilder(0, false), 1, strings.Repeat("x", MaxItemBytes-10)); got < batchIDBytes/MaxItemBytes ||
		got > batchIDBytes/MaxItemBytes+1 {
		t.Errorf("a batch of long ids is full after %d documents", got)
	}
}

// TestBuilderErrors checks what a document may not hold, and that the builder's documents before it are unharmed.
func TestBuilderErrors(t *testing.T) {
	for name, test := range map[string]struct {
		add  func(b *Builder) error
		want string
	}{
		"empty id": {func(b *Builder) error { _, err := b.CodeOfBytes(nil); return err }, "an item id is empty"},
		"long id": {func(b *Builder) error { _, err := b.CodeOfBytes(make([]byte, MaxItemBytes+1)); return err },
			"65537 bytes"},
		"binary id": {func(b *Builder) error { _, err := b.CodeOfBytes([]byte("a\xff")); return err }, "not valid UTF-8"},
		"sum": {func(b *Builder) error {
			code, err := b.CodeOfBytes([]byte("a"))
			if err == nil {
				err = b.Add(code, documents.MaxCount)
			}
			if err != nil {
				return nil
			}
			return b.Add(code, 1)
		}, `the counts of item "a" add up to more than 2147483647`},
		"sum of a run": {func(b *Builder) error {
			code, err := b.CodeOfNumber(5)
			if err != nil {
				return nil
			}
			return b.AddRun([]int32{code, code}, []int32{documents.MaxCount, 1})
		}, `the counts of item "5" add up`},
		"no word": {func(b *Builder) error {
			words := new(documents.Dictionary)
			words.Append([]byte("zero"))
			b.SetWords(words, 1)
			_, err := b.CodeOfNumber(2)
			return err
		}, "item 2 is not in the word list, whose 1 words are numbered from 1"},
		"long name": {func(b *Builder) error { return b.SetName(make([]byte, MaxItemBytes+1)) },
			"the name of a document has 65537 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			b := NewBuilder(0, true)
			batch := new(documents.Batch)
			b.Begin(batch, 0)
			code, err := b.CodeOfBytes([]byte("first"))
			if err != nil || b.Add(code, 3) != nil {
				t.Fatal(err)
			}
			b.EndDocument()
			if err := test.add(b); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q", err, test.want)
			}
			b.Finish()
			if batch.Documents() != 1 || batch.Counts[0] != 3 || string(batch.Dictionary.ID(0)) != "first" {
				t.Errorf("the document before is %v", batch)
			}
		})
	}
}

// TestDocumentItems reaches the greatest number of items in a document, one by one and in a run.
func TestDocumentItems(t *testing.T) {
	b := NewBuilder(0, false)
	b.Begin(new(documents.Batch), 0)
	b.items = make([]int32, maxDocumentItems)
	b.counts = make([]int32, maxDocumentItems)
	code, err := b.CodeOfBytes([]byte("one too many"))
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Add(code, 1); err != errDocumentItems {
		t.Errorf("one by one: %v", err)
	}
	if err := b.AddRun([]int32{code}, []int32{1}); err != errDocumentItems {
		t.Errorf("in a run: %v", err)
	}
}

// TestWords names numbers from either base.
func TestWords(t *testing.T) {
	words := new(documents.Dictionary)
	for _, word := range []string{"anchor", "topic", "日本語"} {
		words.Append([]byte(word))
	}
	for _, base := range []int64{0, 1, 100} {
		b := NewBuilder(0, false)
		b.SetWords(words, base)
		batch := new(documents.Batch)
		b.Begin(batch, 0)
		for i := range words.Len() {
			code, err := b.CodeOfNumber(base + int64(i))
			if err != nil || int(code) != i || !bytes.Equal(batch.Dictionary.ID(i), words.ID(i)) {
				t.Errorf("base %d: word %d has code %d, %v", base, i, code, err)
			}
		}
		for _, number := range []int64{base - 1, base + 3, math.MinInt64, math.MaxInt64} {
			if _, err := b.CodeOfNumber(number); err == nil {
				t.Errorf("base %d: number %d has a word", base, number)
			}
		}
	}
}

// TestNames checks that names belong to their documents, and that there are none unless they are asked for.
func TestNames(t *testing.T) {
	for _, named := range []bool{false, true} {
		b := NewBuilder(0, named)
		batch := new(documents.Batch)
		b.Begin(batch, 0)
		for _, name := range []string{"a", "", "c"} {
			if name != "" {
				if err := b.SetName([]byte(name)); err != nil {
					t.Fatal(err)
				}
			}
			b.EndDocument()
		}
		b.Finish()
		var got []string
		for i := range batch.Names.Len() {
			got = append(got, string(batch.Names.ID(i)))
		}
		if named && !slices.Equal(got, []string{"a", "", "c"}) || !named && got != nil {
			t.Errorf("named %v: %q", named, got)
		}
	}
}

func TestDictionary(t *testing.T) {
	var d documents.Dictionary
	if d.Len() != 0 {
		t.Error("a new dictionary is not empty")
	}
	want := []string{"", "a", "", "longer", "é"}
	for round := range 2 {
		for _, id := range want {
			d.Append([]byte(id))
		}
		for i, id := range want {
			if string(d.ID(i)) != id {
				t.Errorf("round %d: id %d is %q, want %q", round, i, d.ID(i), id)
			}
		}
		if extended := append(d.ID(1), "overwritten"...); string(d.ID(3)) != "longer" {
			t.Errorf("appending to an id made %q overwrite another: %q", extended, d.ID(3))
		}
		d.Reset()
		if d.Len() != 0 {
			t.Error("a dictionary is not empty after Reset")
		}
	}
}
