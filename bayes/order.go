// This file brings documents into a random order without holding them.

package bayes

import (
	"context"
	"fmt"
	"path/filepath"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/random"
)

const (
	// bucketBytes is what the documents of a bucket take in memory. There are at most mostBuckets buckets: those of a
	// corpus of more than 8 GiB are larger.
	bucketBytes = 32 << 20
	mostBuckets = 256
)

// Shuffled yields the documents of a corpus in random order, another one in every epoch. Documents are dealt into
// buckets on the disk at random. An epoch takes the buckets in random order, and the documents of each bucket in random
// order, so that one bucket at a time is in memory. All permutations are equally likely, except that documents of a
// bucket stay near each other. The order is a function of the seed and of the order of the documents.
type Shuffled struct {
	seed    uint64
	scratch *durable.Scratch
	buckets []*corpus.Copy
}

// Shuffle deals the documents of a pass, which has about the given number of entries, into buckets in a new directory
// below dir; empty means the system's folder of temporary files. Close removes the directory. The error is a *RoomError
// if it cannot be made.
func Shuffle(ctx context.Context, pass corpus.Pass, entries int64, dir string, seed uint64) (_ *Shuffled, err error) {
	s := &Shuffled{seed: seed}
	if s.scratch, err = durable.NewScratch(dir, "shuffle"); err != nil {
		return nil, &RoomError{For: "the documents in random order", Err: err}
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	count := int(min(entries*8/bucketBytes+1, mostBuckets))
	files, writers := make([]*durable.Writer, count), make([]*corpus.CopyWriter, count)
	for i := range writers {
		if files[i], err = durable.NewWriter(s.path(i)); err != nil {
			return nil, err
		}
		defer files[i].Abort()
		if writers[i], err = corpus.NewCopyWriter(files[i]); err != nil {
			return nil, err
		}
	}
	var document uint64
	var one corpus.Documents
	err = pass(ctx, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			one.Items, one.Counts = docs.Row(d)
			one.Offsets = append(one.Offsets[:0], 0, int32(len(one.Items)))
			bucket := int(random.Uniform(seed, random.ShuffleDeal, document, 0) * float64(count))
			if err := writers[bucket].Append(&one); err != nil {
				return err
			}
			document++
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, w := range writers {
		if err := w.Close(); err != nil {
			return nil, err
		}
		if err := files[i].Commit(); err != nil {
			return nil, err
		}
		bucket, err := corpus.OpenCopy(s.path(i))
		if err != nil {
			return nil, err
		}
		s.buckets = append(s.buckets, bucket)
	}
	return s, nil
}

func (s *Shuffled) path(i int) string {
	return filepath.Join(s.scratch.Path(), fmt.Sprintf("bucket-%03d", i))
}

// Close removes the buckets.
func (s *Shuffled) Close() {
	for _, b := range s.buckets {
		b.Close()
	}
	s.buckets = nil
	s.scratch.Remove()
}

// Epoch calls fn with the documents of an epoch, without the first skip of them. They are valid until fn returns.
func (s *Shuffled) Epoch(ctx context.Context, epoch uint64, skip int64, workers int,
	fn func(*corpus.Documents) error) error {
	for _, i := range random.Order(len(s.buckets), s.seed, random.ShuffleBuckets, nil, epoch) {
		bucket := s.buckets[i]
		if n := bucket.Documents(); skip >= n {
			skip -= n
			continue
		}
		docs := &corpus.Documents{Offsets: make([]int32, 1, bucket.Documents()+1),
			Items: make([]int32, 0, bucket.Entries()), Counts: make([]int32, 0, bucket.Entries())}
		if _, err := bucket.Pass(ctx, workers, nil, func(run *corpus.Documents) error {
			for d := range run.Documents() {
				docs.Append(run.Row(d))
			}
			return nil
		}); err != nil {
			return err
		}
		place := func(d int) uint64 { return uint64(i)<<32 | uint64(d) }
		order := random.Order(docs.Documents(), s.seed, random.ShuffleDocuments, place, epoch)
		shuffled := &corpus.Documents{Offsets: make([]int32, 1, len(order)+1)}
		for _, d := range order[skip:] {
			shuffled.Append(docs.Row(d))
		}
		skip = 0
		if err := fn(shuffled); err != nil {
			return err
		}
	}
	return nil
}
