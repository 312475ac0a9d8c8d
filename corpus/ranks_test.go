package corpus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"anchorage/internal/collective"
	"anchorage/internal/long"
)

// shown is all that a corpus says.
type shown struct {
	account         Account
	inputs          []Input
	fingerprint     string
	integers        bool
	seen            int
	names           []string
	df, tf          []int64
	keys            []uint64
	documents       collected
	numbers         []int64 // of the documents, among those that were read
	before          int64
	copied, counted bool // before the first pass
}

// show makes two passes over a corpus and returns what it says on this rank: of names and documents only its own.
func show(ctx context.Context, c *Corpus) (*shown, error) {
	s := &shown{copied: c.Copied(), counted: c.Vocabulary.Counted}
	number := c.readBefore
	add := func(docs *Documents) error {
		for _, place := range docs.Places {
			s.numbers = append(s.numbers, number+int64(place))
		}
		number += int64(docs.Read)
		return s.documents.add(docs)
	}
	if err := c.Pass(ctx, add); err != nil {
		return nil, err
	}
	first := s.documents.Documents.Documents()
	if c.options.Passes != 1 {
		again := 0
		if err := c.Pass(ctx, func(docs *Documents) error { again += docs.Documents(); return nil }); err != nil ||
			again != first {
			return nil, fmt.Errorf("the second pass has %d documents, the first %d: %v", again, first, err)
		}
	}
	v := c.Vocabulary
	s.account, s.inputs, s.fingerprint, s.integers, s.seen = c.Account, c.Inputs, v.Fingerprint(),
		v.Integers(), c.seen
	s.df, s.tf, s.before = v.DocumentFrequency, v.TermFrequency, c.Before()
	for i := range v.Len() {
		s.keys, s.names = append(s.keys, v.Key(i)), append(s.names, v.ID(i))
	}
	return s, nil
}

// cut returns the bounds of the documents of each rank, some of which have none.
func cut(seed uint64, documents, ranks int) []int {
	random := rand.New(rand.NewPCG(seed, uint64(ranks)))
	bounds := []int{0, documents}
	for range ranks - 1 {
		bounds = append(bounds, random.IntN(documents+1))
	}
	if ranks > 3 {
		bounds[3] = bounds[2] // one rank has none
	}
	slices.Sort(bounds)
	return bounds
}

// together opens the documents on several ranks and returns what they show together.
func together(t *testing.T, documents []Document, ranks int, options func() Options) (*shown, error) {
	t.Helper()
	bounds := cut(3, len(documents), ranks)
	parts, lacking := make([]*shown, ranks), make([]*DataError, ranks)
	err := collective.Together(t.Context(), ranks, func(ctx context.Context) (err error) {
		r := collective.From(ctx).Rank()
		defer func() { errors.As(err, &lacking[r]) }()
		c, err := FromDocuments(ctx, documents[bounds[r]:bounds[r+1]], options())
		if err != nil {
			return err
		}
		defer c.Close()
		parts[r], err = show(ctx, c)
		return err
	})
	if err != nil {
		for r, lacks := range lacking {
			if !reflect.DeepEqual(lacks, lacking[0]) {
				t.Errorf("rank %d lacks %v, rank 0 %v", r, lacks, lacking[0])
			}
		}
		return nil, err
	}
	all := parts[0]
	for r, s := range parts[1:] {
		if !reflect.DeepEqual(s.account, all.account) || !reflect.DeepEqual(s.inputs, all.inputs) ||
			s.fingerprint != all.fingerprint || s.counted != all.counted || s.seen != all.seen ||
			!slices.Equal(s.names, all.names) || !slices.Equal(s.df, all.df) || !slices.Equal(s.tf, all.tf) || !slices.Equal(s.keys, all.keys) {
			t.Errorf("rank %d of %d differs from rank 0", r+1, ranks)
		}
		if s.before != int64(all.documents.Documents.Documents()) {
			t.Errorf("%d documents before rank %d, not %d", s.before, r+1, all.documents.Documents.Documents())
		}
		all.documents.add(&s.documents.Documents)
		all.numbers = append(all.numbers, s.numbers...)
	}
	return all, nil
}

// sparse returns documents over a number of items, frequent and rare; some items are only in the last documents, others
// first there and last in the first.
func sparse(documents, items int) []Document {
	random := rand.New(rand.NewPCG(11, 4))
	all := make([]Document, documents)
	for m := range all {
		d := &all[m]
		for range random.IntN(60) {
			d.Items = append(d.Items, fmt.Sprint("i", int(float64(items)*math.Pow(random.Float64(), 4))))
			d.Counts = append(d.Counts, 1+random.Int32N(3))
		}
		for range random.IntN(25) {
			d.Items, d.Counts = append(d.Items, fmt.Sprint("rare ", random.IntN(items))), append(d.Counts, 1)
		}
		if m == 0 || m > documents/2 {
			d.Items, d.Counts = append(d.Items, "once at first, often later"), append(d.Counts, 2)
		}
	}
	all[documents-1].Items[0] = "last"
	return all
}

// TestRanks opens the same documents on one rank and on several, with all kinds of options: everything must be equal.
func TestRanks(t *testing.T) {
	defer func(before int) { pieceBytes = before }(pieceBytes)
	pieceBytes = 1 << 16 // several rounds
	documents := sparse(1000, 30_000)
	integers := make([]Document, 500)
	for m := range integers {
		integers[m].Items = []string{fmt.Sprint(m * m % 97), fmt.Sprint(m), fmt.Sprint(-m % 13)}
	}
	ties := make([]Document, 10) // items in more than half of the documents all have a tf·idf of 0
	for m := range ties {
		for i := range 40 {
			if m < 6+i%5 {
				ties[m].Items = append(ties[m].Items, fmt.Sprint("tie ", 37*i%41))
			}
		}
	}
	fixed, counted := NewVocabulary(), NewVocabulary()
	for i := range 9000 {
		fixed.Intern(fmt.Appendf(nil, "i%d", 3*i))
		counted.DocumentFrequency[counted.Intern(fmt.Appendf(nil, "rare %d", i))] = 3
	}
	counted.Counted = true
	stop := map[string]struct{}{"i0": {}, "i7": {}, "last": {}, "no item": {}}
	for name, test := range map[string]struct {
		documents []Document
		options   Options
	}{
		"all items":      {documents, Options{NoPrune: true, MinItems: 1, MinTokens: 1}},
		"all, limits":    {documents, Options{NoPrune: true, MinItems: 3, MinTokens: 5}},
		"pruned":         {documents, Options{Pruning: Pruning{MinDF: 2, MaxDFRatio: 0.1}, MinItems: 20, MinTokens: 50}},
		"without limits": {documents, Everything()},
		"stop words": {documents, Options{Pruning: Pruning{MinDF: 2, Stopwords: stop, MaxDFRatio: 1}, MinItems: 1,
			MinTokens: 1}},
		"most items": {documents, Options{Pruning: Pruning{MaxItems: 9000, MinDF: 1, MaxDFRatio: 1},
			MinItems: 1, MinTokens: 1}},
		"most, all rules": {documents, Options{Pruning: Pruning{MinDF: 2, MaxDFRatio: 0.2, Stopwords: stop, MaxItems: 5001},
			MinItems: 3, MinTokens: 1}},
		"ties": {ties, Options{Pruning: Pruning{MaxItems: 21, MinDF: 1, MaxDFRatio: 1}, MinItems: 1,
			MinTokens: 1}},
		"more than there": {documents, Options{Pruning: Pruning{MaxItems: 1 << 20, MinDF: 1, MaxDFRatio: 1}, MinItems: 1,
			MinTokens: 1}},
		"one item": {documents, Options{Pruning: Pruning{MaxItems: 1, MinDF: 1, MaxDFRatio: 1}, MinItems: 1,
			MinTokens: 1}},
		"by kind":           {documents, Options{}},
		"baskets":           {documents, Options{Kind: Baskets, Pruning: Pruning{MinDF: 500}}},
		"fixed":             {documents, Options{Vocabulary: fixed, MinItems: 4, MinTokens: 1}},
		"fixed with counts": {documents, Options{Vocabulary: counted, MinItems: 1, MinTokens: 1}},
		"the only pass":     {documents, Options{Vocabulary: fixed, Passes: 1}},
		"the only, baskets": {documents, Options{Vocabulary: fixed, Passes: 1, Kind: Baskets}},
		"integers":          {integers, Options{NoPrune: true, MinItems: 1, MinTokens: 1}},
		"integers, pruned":  {integers, Options{Pruning: Pruning{MinDF: 3, MaxDFRatio: 1}, MinItems: 1, MinTokens: 1}},
		"few documents": {documents[:2], Options{Pruning: Pruning{MaxItems: 4, MinDF: 1, MaxDFRatio: 1}, MinItems: 1,
			MinTokens: 1}},
		"no documents":     {nil, Everything()},
		"nothing left":     {documents, Options{Pruning: Pruning{MinDF: 1 << 40, MaxDFRatio: 1}, MinItems: 1, MinTokens: 1}},
		"no items":         {make([]Document, 20), Options{NoPrune: true, MinItems: 1, MinTokens: 1}},
		"all short":        {documents, Options{MinItems: 1000, Pruning: Pruning{MinDF: 1, MaxDFRatio: 1}, MinTokens: 1}},
		"single items":     {sized(repeated(30, 1, 1, 4)...), Options{}},
		"no item is known": {integers, Options{Vocabulary: fixed, MinItems: 1, MinTokens: 1}},
		"texts": {documents, Options{Pruning: Pruning{MinDF: 9, MaxItems: 100, MaxDFRatio: 1}, Kind: Texts,
			MinItems: 1, MinTokens: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			alone, err := func() (*shown, error) {
				c, err := FromDocuments(t.Context(), test.documents, test.options)
				if err != nil {
					return nil, err
				}
				defer c.Close()
				return show(t.Context(), c)
			}()
			for _, ranks := range long.Grid(1, 3, 1, 2, 5, 8) {
				shared, errShared := together(t, test.documents, ranks, func() Options { return test.options })
				if err != nil {
					if errShared == nil || errShared.Error() != err.Error() {
						t.Errorf("%d ranks: the error is %v, not %v", ranks, errShared, err)
					}
					continue
				}
				if errShared != nil {
					t.Fatalf("%d ranks: %v", ranks, errShared)
				}
				if test.options.Passes == 1 { // known only after the pass, alone
					alone.seen = shared.seen
				}
				if alone.before = shared.before; !reflect.DeepEqual(alone, shared) {
					t.Errorf("%d ranks: %d items of %d, %d documents, %+v; alone %d of %d, %d, %+v", ranks, len(shared.names),
						shared.seen, shared.account.Documents, shared.account,
						len(alone.names), alone.seen, alone.account.Documents, alone.account)
				}
			}
		})
	}
}

// TestReadingTraffic compares what ranks send each other with the formula of shareItems: every item that a rank has met
// goes to each other rank once, in its id and a few bytes.
func TestReadingTraffic(t *testing.T) {
	documents := sparse(3000, 30_000)
	for _, ranks := range []int{2, 3, 5} {
		err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
			comm := collective.From(ctx)
			own := documents[comm.Rank()*len(documents)/ranks : (comm.Rank()+1)*len(documents)/ranks]
			met, err := FromDocuments(t.Context(), own, Options{NoPrune: true, MinItems: 1, MinTokens: 1})
			if err != nil {
				return err
			}
			defer met.Close()
			c, err := FromDocuments(ctx, own, Options{Pruning: Pruning{MinDF: 2, MaxDFRatio: 1}, MinItems: 1, MinTokens: 1})
			if err != nil {
				return err
			}
			defer c.Close()
			var items []byte
			for i := range met.Vocabulary.Len() {
				items = appendItem(items, met.Vocabulary, i)
			}
			_, moved := comm.Moved()
			totals := []int64{int64(len(items)), moved["read"].Bytes}
			err = collective.Sum(ctx, comm, totals)
			if formula := float64(totals[0] * int64(ranks-1)); err == nil && math.Abs(float64(totals[1])/formula-1) > 0.05 {
				err = fmt.Errorf("%d bytes, not about %.0f", totals[1], formula)
			}
			return err
		})
		if err != nil {
			t.Errorf("%d ranks: %v", ranks, err)
		}
	}
}

// Parts of a corpus of several ranks have the documents of the parts of one, and passes over them wait for no other
// rank.
func TestPartOfRanks(t *testing.T) {
	documents := sparse(1000, 5000)
	keep := func(d int64) bool { return d%3 == 1 }
	open := func(ctx context.Context, documents []Document) (*shown, error) {
		c, err := FromDocuments(ctx, documents, Options{Pruning: Pruning{MinDF: 2, MaxDFRatio: 1},
			MinItems: 10, MinTokens: 1})
		if err != nil {
			return nil, err
		}
		defer c.Close()
		return show(ctx, c.Part(keep))
	}
	alone, err := open(t.Context(), documents)
	if err != nil {
		t.Fatal(err)
	}
	var parts [3]*shown
	bounds := []int{0, 300, 650, 1000}
	err = collective.Together(t.Context(), len(parts), func(ctx context.Context) (err error) {
		r := collective.From(ctx).Rank()
		parts[r], err = open(ctx, documents[bounds[r]:bounds[r+1]])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var all collected
	for _, s := range parts {
		all.add(&s.documents.Documents)
		if s.account != alone.account {
			t.Errorf("the part has %+v, not %+v", s.account, alone.account)
		}
	}
	if !reflect.DeepEqual(all, alone.documents) {
		t.Error("the part has other documents")
	}
}

// A rank whose documents are malformed returns its error, and the job ends with it.
func TestMalformedOnOneRank(t *testing.T) {
	documents := sparse(100, 50)
	err := collective.Together(t.Context(), 3, func(ctx context.Context) error {
		own := slices.Clone(documents)
		if collective.From(ctx).Rank() == 2 {
			own[7].Items = []string{""}
			own[7].Counts = nil
		}
		c, err := FromDocuments(ctx, own, Everything())
		if lost := new(collective.LostError); collective.From(ctx).Rank() != 2 && !errors.As(err, &lost) {
			t.Errorf("rank %d gets %v", collective.From(ctx).Rank(), err)
		}
		if c != nil {
			c.Close()
		}
		return err
	})
	if bad := new(DataError); !errors.As(err, &bad) || bad.Lack != BadDocument || !strings.Contains(err.Error(),
		"document 8 ") {
		t.Errorf("the job ends with %v", err)
	}
}

// Several ranks cannot add to a vocabulary while they make the only pass.
func TestGrowingOnRanks(t *testing.T) {
	err := collective.Together(t.Context(), 2, func(ctx context.Context) error {
		_, err := FromDocuments(ctx, sparse(10, 50), Options{NoPrune: true, Passes: 1, MinItems: 1, MinTokens: 1})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "during the only pass") {
		t.Errorf("got %v", err)
	}
}

// Ranks whose files of items differ are refused before their counts meet.
func TestRanksWithOtherFiles(t *testing.T) {
	for what, options := range map[string]func(rank int) Options{
		"items of the vocabulary": func(rank int) Options {
			v := NewVocabulary()
			for i := range 20 + rank {
				v.Intern(fmt.Append(nil, i))
			}
			return Options{Vocabulary: v}
		},
		"stopwords": func(rank int) Options {
			return Options{Pruning: Pruning{Stopwords: map[string]struct{}{fmt.Sprint(rank): {}}}}
		},
	} {
		err := collective.Together(t.Context(), 2, func(ctx context.Context) error {
			_, err := FromDocuments(ctx, sparse(10, 50), options(collective.From(ctx).Rank()))
			return err
		})
		if differ := new(collective.DisagreementError); !errors.As(err, &differ) || differ.What != what || differ.Rank != 1 {
			t.Errorf("%s: %v", what, err)
		}
	}
}
