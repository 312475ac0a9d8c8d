// This file writes items as vectors.

package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"anchorage/internal/npy"
	"anchorage/internal/output"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/shard/tablefile"
)

// vectorForm is a form of vectors.
type vectorForm struct {
	endings []string
	write   func(j *job, t *matrix.Single, w io.Writer) error
}

// vectorForms are all, by the ending of a file's name.
var vectorForms = []vectorForm{
	{[]string{".parquet"}, parquetVectors},
	{[]string{".npy"}, arrayVectors},
	{[]string{".txt", ".vec", ".w2v"}, textVectors},
}

// VectorEndings returns the endings of files that Vectors writes: Parquet, NumPy's .npy, and the text of word2vec.
func VectorEndings() (endings []string) {
	for _, f := range vectorForms {
		endings = append(endings, f.endings...)
	}
	return endings
}

// Vectors writes the vector of each item, its profile, in the form that the ending of path says. Parquet has the
// columns item_id, index and vector; .npy has N×K values of single precision, a row per item in the order of the
// model's vocabulary; text is as in Word2Vec. Errors are those of Write.
func Vectors(ctx context.Context, m *model.Model, file string, o Options) error {
	ending := strings.ToLower(path.Ext(file))
	at := slices.IndexFunc(vectorForms, func(f vectorForm) bool { return slices.Contains(f.endings, ending) })
	if at < 0 {
		return &OptionError{Reason: fmt.Sprintf("the file %s ends in none of %s, which say what to write", file,
			strings.Join(VectorEndings(), ", "))}
	}
	j := &job{m, o}
	t, err := j.Vectors(ctx)
	if err != nil {
		return err
	}
	return output.WriteFile(ctx, file, o.Replace, o.Warn,
		func(w io.Writer) error { return vectorForms[at].write(j, t, w) })
}

func writeWord2Vec(ctx context.Context, j *job, w io.Writer) error {
	t, err := j.Vectors(ctx)
	if err != nil {
		return err
	}
	return textVectors(j, t, w)
}

// textVectors writes the text form of word2vec: a line with N and K, and a line per item with its name and K numbers.
func textVectors(j *job, t *matrix.Single, w io.Writer) error {
	names, err := words(j.Vocabulary, Word2Vec)
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

func arrayVectors(_ *job, t *matrix.Single, w io.Writer) error {
	return npy.WriteRows(w, t.Rows(), t.Cols(), func(dst []float32, i int) { copy(dst, t.Row(i)) })
}

// parquetVectors writes a table in groups of 16,384 rows.
func parquetVectors(j *job, t *matrix.Single, w io.Writer) error {
	table, err := tablefile.NewWriter(w, []tablefile.Field{{Name: "item_id", Type: tablefile.String},
		{Name: "index", Type: tablefile.Int32},
		{Name: "vector", Type: tablefile.Float32List, Width: t.Cols()}})
	if err != nil {
		return err
	}
	const group = 4 * matrix.BlockRows
	for first := 0; first < t.Rows(); first += group {
		var ids []string
		var indices []int32
		var values []float32
		for i := first; i < min(first+group, t.Rows()); i++ {
			ids, indices, values = append(ids, j.Vocabulary.ID(i)), append(indices, int32(i)), append(values, t.Row(i)...)
		}
		if err := table.Write(ids, indices, values); err != nil {
			return err
		}
	}
	return table.Close()
}
