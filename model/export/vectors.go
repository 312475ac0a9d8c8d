// This file writes items as vectors.

package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"

	"anchorage/internal/durable"
	"anchorage/internal/npy"
)

// writeWord2Vec writes the text form of word2vec: a line with N and K, and a line per item with its name and K numbers.
func writeWord2Vec(ctx context.Context, j *job, w io.Writer) error {
	names, err := words(j.Vocabulary, Word2Vec)
	if err != nil {
		return err
	}
	t, err := j.Vectors(ctx)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintf(b, "%d %d\n", t.Rows(), t.Cols())
	var line []byte
	for i, name := range names {
		line = append(line[:0], name...)
		for _, v := range t.Row(i) {
			line = strconv.AppendFloat(append(line, ' '), float64(v), 'g', -1, 32)
		}
		b.Write(append(line, '\n'))
	}
	return b.Flush() // a buffer keeps its first error
}

// writeVectors writes the same as an array.
func (j *job) writeVectors(ctx context.Context, dir *durable.Dir) error {
	t, err := j.Vectors(ctx)
	if err != nil {
		return err
	}
	return dir.WriteFile("vectors.npy", func(w io.Writer) error {
		return npy.WriteRows(w, t.Rows(), t.Cols(), func(dst []float32, i int) { copy(dst, t.Row(i)) })
	})
}
