package stream

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"anchorage/corpus"
	"anchorage/shard"
)

// cuts are ways to cut the same documents into shards, parts and batches.
var cuts = []fakeShards{
	{shard: 1000, part: 1000, batch: 1000},
	{shard: 1000, part: 1000, batch: 7},
	{shard: 1000, part: 100, batch: 33},
	{shard: 250, part: 100, batch: 40},
	{shard: 33, part: 33, batch: 33},
	{shard: 5, part: 1, batch: 1},
}

// TestReadMetamorphic checks that Read delivers the same documents for any division into workers, batches and shards,
// with a vocabulary that grows and with a fixed one that lacks items.
func TestReadMetamorphic(t *testing.T) {
	documents := randomDocuments(1, 600, 2000)
	grown := corpus.NewVocabulary()
	wantGrown, _ := naive(documents, grown, true)
	fixed := corpus.NewVocabulary()
	for i := grown.Len() - 1; i >= 0; i -= 3 { // in another order
		fixed.Intern([]byte(grown.ID(i)))
	}
	fixed.Intern([]byte("in no document"))
	counted := fixed.Uncounted()
	wantFixed, unknown := naive(documents, counted, false)
	for _, workers := range []int{1, 2, 3, 7} {
		for i := range cuts {
			f := &fakeShards{documents: documents, shard: cuts[i].shard, part: cuts[i].part, batch: cuts[i].batch}
			t.Run(fmt.Sprintf("workers=%d/cut=%d", workers, i), func(t *testing.T) {
				var got collected
				intake, err := read(context.Background(), f.inputs(),
					ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: workers}}, got.add)
				if err != nil {
					t.Fatal(err)
				}
				if !got.equal(&wantGrown) || !sameCounts(intake.Vocabulary, grown) || intake.Unknown != (corpus.Unknown{}) {
					t.Error("a growing vocabulary: other documents, items or counts")
				}
				checkIntake(t, intake, f, &got)

				got = collected{}
				intake, err = read(context.Background(), f.inputs(),
					ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: workers, Vocabulary: fixed}}, got.add)
				if err != nil {
					t.Fatal(err)
				}
				if !got.equal(&wantFixed) || !sameCounts(intake.Vocabulary, counted) || intake.Unknown != unknown {
					t.Error("a fixed vocabulary: other documents, items or counts")
				}
				checkIntake(t, intake, f, &got)
				if f.opened.Load() != 0 {
					t.Errorf("%d readers are not closed", f.opened.Load())
				}
			})
		}
	}
	if fixed.Counted {
		t.Error("the vocabulary of the options was modified")
	}
}

// checkIntake compares the totals with the documents delivered.
func checkIntake(t *testing.T, intake *corpus.Intake, f *fakeShards, got *collected) {
	t.Helper()
	if intake.Documents != int64(got.Documents.Documents()) || intake.Entries != int64(got.Entries()) ||
		intake.Tokens != sum(got.Counts) {
		t.Errorf("intake %+v", intake)
	}
	for i, in := range intake.Inputs {
		want := corpus.Input{Path: fmt.Sprintf("shard %d", i), Size: 1000, SHA256: fmt.Sprintf("digest %d", i),
			Documents: int64(min(f.shard, len(f.documents)-i*f.shard))}
		if in != want {
			t.Errorf("shard %+v, want %+v", in, want)
		}
	}
}

// TestReadKeepsCounts checks that a fixed vocabulary keeps its own counts.
func TestReadKeepsCounts(t *testing.T) {
	v := corpus.NewVocabulary()
	v.Intern([]byte("item-0"))
	v.DocumentFrequency[0], v.TermFrequency[0], v.Counted = 7, 9, true
	f := &fakeShards{documents: randomDocuments(1, 50, 10), shard: 50, part: 50, batch: 10}
	intake, err := read(context.Background(), f.inputs(),
		ReadOptions{ReadingOptions: corpus.ReadingOptions{Vocabulary: v}}, new(collected).add)
	if err != nil {
		t.Fatal(err)
	}
	if intake.Vocabulary.DocumentFrequency[0] != 7 || intake.Vocabulary.TermFrequency[0] != 9 || intake.Entries == 0 {
		t.Errorf("counts changed: %+v", intake.Vocabulary)
	}
}

// TestReadGrowing checks that the function that receives documents finds their items in the growing vocabulary.
func TestReadGrowing(t *testing.T) {
	v := corpus.NewVocabulary()
	f := &fakeShards{documents: randomDocuments(2, 200, 500), shard: 100, part: 100, batch: 10}
	intake, err := read(context.Background(), f.inputs(), ReadOptions{ReadingOptions: corpus.ReadingOptions{Growing: v},
		SkipDigests: true}, func(d *corpus.Documents) error {
		for _, item := range d.Items {
			if int(item) >= v.Len() {
				return fmt.Errorf("item %d is not known yet", item)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if intake.Vocabulary != v || intake.Inputs[0].SHA256 != "" {
		t.Error("another vocabulary, or a digest that was not wanted")
	}
}

func TestReadNothing(t *testing.T) {
	intake, err := Read(context.Background(), nil, ReadOptions{}, func(*corpus.Documents) error { return errTest })
	if err != nil || intake.Documents != 0 || intake.Vocabulary.Len() != 0 {
		t.Errorf("intake %+v, error %v", intake, err)
	}
}

// TestReadErrorOrder makes two shards fail, the second at once and the first late. Read must deliver the documents
// before the first error and then return that error.
func TestReadErrorOrder(t *testing.T) {
	documents := randomDocuments(3, 400, 100)
	first := &shard.Error{Path: "shard 1", Row: 90, Err: errTest}
	for _, workers := range []int{1, 2, 3, 7} {
		f := &fakeShards{documents: documents, shard: 100, part: 100, batch: 10,
			failAt: map[int]error{190: first, 200: errors.New("second"), 300: errors.New("third")}}
		var got collected
		intake, err := read(context.Background(), f.inputs(),
			ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: workers}}, got.add)
		if err != first || intake != nil {
			t.Errorf("%d workers: error %v", workers, err)
		}
		if n := got.Documents.Documents(); n != 190 {
			t.Errorf("%d workers: %d documents before the error", workers, n)
		}
		if f.opened.Load() != 0 {
			t.Errorf("%d workers: %d readers are not closed", workers, f.opened.Load())
		}
	}
}

func TestReadFailingParts(t *testing.T) {
	f := &fakeShards{documents: randomDocuments(3, 400, 100), shard: 100, part: 100, batch: 10}
	inputs := f.inputs()
	inputs[2].parts[0] = func(context.Context) (shard.Reader, error) { return nil, errTest }
	if _, err := read(context.Background(), inputs, ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: 3}},
		new(collected).add); err != errTest {
		t.Errorf("open: error %v", err)
	}
	inputs = f.inputs()
	inputs[3].digest = func(context.Context) (string, error) { return "", errTest }
	var got collected
	if _, err := read(context.Background(), inputs, ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: 3}},
		got.add); err != errTest || got.Documents.Documents() != 400 {
		t.Errorf("digest: error %v after %d documents", err, got.Documents.Documents())
	}
}

// TestReadStops ends the pass early in every possible way. TestMain checks that no goroutine is left.
func TestReadStops(t *testing.T) {
	documents := randomDocuments(4, 2000, 100)
	for _, workers := range []int{1, 3} {
		f := &fakeShards{documents: documents, shard: 500, part: 100, batch: 10}
		ctx, cancel := context.WithCancel(context.Background())
		calls := 0
		_, err := read(ctx, f.inputs(), ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: workers}},
			func(*corpus.Documents) error {
				if calls++; calls == 5 {
					cancel()
				}
				return nil
			})
		if err != context.Canceled || calls != 5 {
			t.Errorf("cancelled: error %v after %d calls", err, calls)
		}
		_, err = read(context.Background(), f.inputs(), ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: workers}},
			func(*corpus.Documents) error { return errTest })
		if err != errTest {
			t.Errorf("function fails: error %v", err)
		}
		func() {
			defer func() {
				if recover() != "test panic" {
					t.Error("the function's panic was lost")
				}
			}()
			read(context.Background(), f.inputs(), ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: workers}},
				func(*corpus.Documents) error { panic("test panic") })
		}()
		if f.opened.Load() != 0 {
			t.Errorf("%d readers are not closed", f.opened.Load())
		}
	}
}

// TestReadCancelWhileDecoding cancels while the caller waits for a slow reader.
func TestReadCancelWhileDecoding(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	f := &fakeShards{documents: randomDocuments(4, 20, 10), shard: 20, part: 20, batch: 10}
	f.started = func(int) {
		cancel()
		<-ctx.Done()
	}
	if _, err := read(ctx, f.inputs(), ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: 2}},
		new(collected).add); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

// TestReadBounded delivers to a function that returns only after the workers have filled all their buffers. It counts
// the batches in flight and measures no time.
func TestReadBounded(t *testing.T) {
	const workers = 3
	f := &fakeShards{documents: randomDocuments(5, 3000, 50), shard: 1000, part: 200, batch: 1}
	var delivered, most atomic.Int64
	f.started = func(int) {
		if ahead := f.filled.Load() - delivered.Load(); ahead > most.Load() {
			most.Store(ahead)
		}
	}
	_, err := read(context.Background(), f.inputs(), ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: workers}},
		func(*corpus.Documents) error {
			if delivered.Load() == 0 {
				for f.filled.Load() < workers*readDepth { // each worker fills all its buffers, then waits
				}
			}
			delivered.Add(1)
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if most.Load() > workers*readDepth {
		t.Errorf("%d batches in flight, and there are only %d buffers", most.Load(), workers*readDepth)
	}
}

func TestReadProgress(t *testing.T) {
	f := &fakeShards{documents: randomDocuments(6, 300, 50), shard: 100, part: 50, batch: 10}
	last := int64(0)
	opts := ReadOptions{ReadingOptions: corpus.ReadingOptions{Progress: func(done, total int64) {
		if done < last || done > total || total != 3000 {
			t.Errorf("%d of %d bytes after %d", done, total, last)
		}
		last = done
	}}}
	if _, err := read(context.Background(), f.inputs(), opts, new(collected).add); err != nil {
		t.Fatal(err)
	}
	if last != 3000 {
		t.Errorf("%d bytes at the end, want 3000", last)
	}
}
