package stream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/collective"
	"anchorage/internal/long"
	"anchorage/internal/visit"
	"anchorage/matrix"
	"anchorage/shard"
)

// learned is what a rank, or several, learn from shards.
type learned struct {
	account     corpus.Account
	inputs      []corpus.Input
	skipped     []corpus.Skipped
	fingerprint string
	df, tf      []int64
	names       []string
	documents   collected
}

// readShards opens shards and makes a pass; of documents, a rank gets its own.
func readShards(ctx context.Context, shards []shard.Shard, opts corpus.Options) (*learned, error) {
	docs, err := Open(ctx, shards, opts)
	if err != nil {
		return nil, err
	}
	defer docs.Close()
	v := docs.Vocabulary
	r := &learned{inputs: docs.Inputs, skipped: docs.Skipped, fingerprint: v.Fingerprint(), df: v.DocumentFrequency,
		tf: v.TermFrequency}
	for i := range v.Len() {
		r.names = append(r.names, v.ID(i))
	}
	err = docs.Pass(ctx, r.documents.add)
	r.account = docs.Account
	return r, err
}

// readTogether does so on several ranks, and returns what they have learned together.
func readTogether(t *testing.T, shards []shard.Shard, ranks int, opts corpus.Options) (*learned, error) {
	t.Helper()
	parts, failures := make([]*learned, ranks), make([]error, ranks)
	err := collective.Together(t.Context(), ranks, func(ctx context.Context) (err error) {
		r := collective.From(ctx).Rank()
		parts[r], failures[r] = readShards(ctx, shards, opts)
		return failures[r]
	})
	if err != nil {
		for r, failure := range failures { // the error of all, or the loss of the rank that has it
			if lost := new(collective.LostError); failure.Error() != err.Error() && !errors.As(failure, &lost) {
				t.Errorf("rank %d of %d returns %v", r, ranks, failure)
			}
		}
		return nil, err
	}
	all := *parts[0]
	for _, r := range parts[1:] {
		common := *r
		common.documents = parts[0].documents
		if !reflect.DeepEqual(&common, parts[0]) {
			t.Errorf("%d ranks disagree: %+v, %+v", ranks, r.account, all.account)
		}
	}
	all.documents = collected{}
	for _, r := range parts {
		all.documents.add(&r.documents.Documents)
	}
	return &all, nil
}

// TestOpenOnRanks opens the sample, and shards of which one is empty and some have the same items, on several ranks:
// they learn what one does.
func TestOpenOnRanks(t *testing.T) {
	wiki := discovered(t, filepath.Join("..", "testdata", "wiki"))
	var texts []string
	for i := range 7 {
		var text strings.Builder
		for d := range 300 * (7 - i) {
			fmt.Fprintf(&text, "w%d w%d w%d of%d\n", d*d%9001, d%1000, d*7%13+i, i) // the same document in several shards, too
		}
		texts = append(texts, text.String())
	}
	texts[3] = ""
	made := discover(t, shard.Options{}, texts...)
	fixed := corpus.NewVocabulary()
	for i := range 9000 {
		fixed.Intern(fmt.Appendf(nil, "w%d", i))
	}
	kinds := byKind
	kinds.Dir = t.TempDir()
	most := corpus.Options{Dir: t.TempDir(), Pruning: corpus.Pruning{MaxItems: 10_000, MinDF: 1, MaxDFRatio: 1},
		MinItems: 2, MinTokens: 1}
	for name, test := range map[string]struct {
		shards  []shard.Shard
		options corpus.Options
	}{
		"the sample":           {wiki, kinds},
		"most of the sample":   {wiki, most},
		"all items":            {wiki, corpus.Options{NoPrune: true, Dir: t.TempDir(), MinItems: 1, MinTokens: 1}},
		"made":                 {made, kinds},
		"made, all items":      {made, corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 1}},
		"made, fixed":          {made, corpus.Options{Vocabulary: fixed, MinItems: 1, MinTokens: 1}},
		"fixed, the only pass": {made, corpus.Options{Vocabulary: fixed, Passes: 1, MinItems: 3, MinTokens: 1}},
		"one shard":            {made[:1], kinds},
		"no document is enough": {made, corpus.Options{MinItems: 9, Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1},
			MinTokens: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			alone, err := readShards(t.Context(), test.shards, test.options)
			for _, ranks := range long.Grid(2, 3, 1, 2, 5, 8) {
				together, failure := readTogether(t, test.shards, ranks, test.options)
				if err != nil {
					if failure == nil || failure.Error() != err.Error() {
						t.Errorf("%d ranks: error %v, not %v", ranks, failure, err)
					}
					continue
				}
				if failure != nil {
					t.Fatalf("%d ranks: %v", ranks, failure)
				}
				if test.options.Passes == 1 { // alone, shards are known after the pass
					alone.inputs, alone.df, alone.tf = together.inputs, together.df, together.tf
				}
				if !reflect.DeepEqual(together, alone) {
					t.Errorf("%d ranks: %+v, not %+v", ranks, together.account, alone.account)
				}
			}
			if left, _ := os.ReadDir(test.options.Dir); test.options.Dir != "" && len(left) > 0 {
				t.Errorf("%d files are left", len(left))
			}
		})
	}
}

// TestIdleRanks wants one line of the log, from rank 0, for ranks without shards.
func TestIdleRanks(t *testing.T) {
	shards := discover(t, shard.Options{}, "a b\nb c\n", "a c\n")
	var log bytes.Buffer
	options := corpus.Options{NoPrune: true, Log: slog.New(slog.NewTextHandler(&log, nil)), MinItems: 1, MinTokens: 1}
	if _, err := readTogether(t, shards, 5, options); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"ranks without shards", "documents read"} {
		if strings.Count(log.String(), line) != 1 {
			t.Errorf("the log has not one line of %q:\n%s", line, &log)
		}
	}
	if !strings.Contains(log.String(), "ranks=5 shards=2 without=3") {
		t.Errorf("the log is\n%s", &log)
	}
}

// TestBadShardOnOneRank wants the error of the rank that reads the shard.
func TestBadShardOnOneRank(t *testing.T) {
	shards := discover(t, shard.Options{}, "1 2\n3\n", "1\n2\n"+strings.Repeat("x", 1<<20)+"\n", "4\n")
	for _, ranks := range []int{2, 3, 8} {
		_, err := readTogether(t, shards, ranks, corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 1})
		if bad := new(shard.Error); !errors.As(err, &bad) || bad.Path != shards[1].Path || bad.Row != 3 {
			t.Errorf("%d ranks: error %.200v", ranks, err)
		}
	}
}

// TestBadRowsOfRanks leaves bad rows out on two ranks: the limit is that of all rows, and the first is the first of
// all.
func TestBadRowsOfRanks(t *testing.T) {
	bad, good := `{"items": 7}`+"\n", `{"items": ["a", "b"]}`+"\n"
	dir := t.TempDir()
	for i, text := range []string{good + good, good + bad, good + bad + bad} {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i, ".jsonl")), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, limit := range []int64{2, 3} {
		shards, err := shard.Discover(t.Context(), []string{dir}, shard.Options{MaxBadRows: limit})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := readShards(t.Context(), shards, corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 1})
		together, failure := readTogether(t, shards, 3, corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 1})
		if limit == 2 {
			if bad := new(shard.Error); err == nil || failure == nil || failure.Error() != err.Error() ||
				!errors.As(failure, &bad) {
				t.Errorf("error %v, alone %v", failure, err)
			}
			continue
		}
		if err != nil || failure != nil || together.account != alone.account || together.account.LeftOut.Bad != 3 ||
			!strings.Contains(together.account.LeftOut.First, "1.jsonl") {
			t.Errorf("left out %+v, %v, %v", together, err, failure)
		}
	}
}

// TestSiftOnRanks sifts shards on several ranks, of which each reads some: all know all that are bad, and expect the
// digests of the others.
func TestSiftOnRanks(t *testing.T) {
	broken := strings.Repeat("x", 1<<20) + "\n"
	shards := discover(t, shard.Options{}, "1 2\n", "1 3\n2\n"+broken, "2 3\n", broken, "1 2 3\n")
	good, skipped, err := Sift(t.Context(), shards, 1)
	if err != nil || len(good) != 3 {
		t.Fatal(good, err)
	}
	for _, ranks := range []int{2, 3, 8} {
		var all []shard.Shard
		err := collective.Together(t.Context(), ranks, func(ctx context.Context) error {
			sifted, bad, err := Sift(ctx, shards, 1)
			if !reflect.DeepEqual(bad, skipped) || len(sifted) != len(good) {
				t.Errorf("%d ranks: skipped %v and %d are good: %v", ranks, bad, len(sifted), err)
			}
			if collective.From(ctx).First() {
				all = sifted
			}
			_, _, err = Sift(ctx, shards[3:4], 1)
			if unreadable := new(shard.Error); !errors.As(err, &unreadable) || unreadable.Error() != skipped[1].Reason {
				t.Errorf("%d ranks: error %.200v", ranks, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if !s.Expects() {
				t.Errorf("%s may have any digest", s.Path)
			}
		}
		if _, err := readTogether(t, all, ranks, corpus.Options{NoPrune: true, MinItems: 1,
			MinTokens: 1}); err != nil { // a digest of another shard would fail
			t.Error(err)
		}
	}
}

// TestPassMeetsRanks lets documents meet rows of other ranks during the first pass, with ranks that have many
// documents, few and none.
func TestPassMeetsRanks(t *testing.T) {
	var long strings.Builder
	for d := range 9000 {
		fmt.Fprintf(&long, "a%d b%d b%d\n", d, d%5000, d*d%4999)
	}
	shards := discover(t, shard.Options{}, long.String(), "a1 b2\na3 b4\n")
	err := collective.Together(t.Context(), 4, func(ctx context.Context) error {
		docs, err := Open(ctx, shards, corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 1})
		if err != nil {
			return err
		}
		defer docs.Close()
		n := docs.Vocabulary.Len()
		df := matrix.NewShared[float64](docs.Layout(), n, 1)
		first, last := df.HeldRows()
		err = visit.Batches(ctx, docs.Layout(), docs.Pass, n, 1<<18, func(b *visit.Batch) error {
			local := matrix.NewTall(len(b.Items), 1)
			for _, item := range b.Documents.Items {
				local.Row(int(item))[0]++
			}
			return visit.Add(ctx, b, df, local)
		})
		for i := first; i < last; i++ {
			if df.Row(i)[0] != float64(docs.Vocabulary.DocumentFrequency[i]) {
				return fmt.Errorf("item %d is in %v documents, not %d", i, df.Row(i)[0], docs.Vocabulary.DocumentFrequency[i])
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestCheckpointOfRanks checks that ranks leave no copy in the checkpoint that they share, and that its facts are those
// of one process, so that what later stages keep can be resumed by any number of ranks.
func TestCheckpointOfRanks(t *testing.T) {
	shards := discovered(t, filepath.Join("..", "testdata", "wiki"))
	path := filepath.Join(t.TempDir(), "state")
	opts := byKind
	opts.Dir = t.TempDir()
	save := func(folder *checkpoint.Folder) {
		chain := folder.Chain("fit")
		chain.Point("anything", nil, nil).Reached(func(*checkpoint.Values) {})
	}
	for _, ranks := range []int{3, 1, 2} {
		folder, err := checkpoint.Open(t.Context(), path, checkpoint.Options{Resume: checkpoint.Auto, Every: -1})
		if err != nil {
			t.Fatal(err)
		}
		err = collective.Together(t.Context(), ranks, func(ctx context.Context) error {
			if collective.From(ctx).First() {
				ctx = folder.In(ctx)
			}
			_, err := readShards(ctx, shards, opts)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(path, "copy")); ranks == 3 && !os.IsNotExist(err) {
			t.Errorf("a copy is in the checkpoint: %v", err)
		}
		if ranks != 3 {
			loaded, err := folder.Chain("fit").Load()
			if err != nil || loaded == nil {
				t.Fatalf("%d ranks cannot continue: %v", ranks, err)
			}
			loaded.Close()
		}
		save(folder)
		if err := folder.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
