// This file writes NumPy arrays, and items as vectors with names that formats of plain text can hold.

package export

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/npy"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/shard/tablefile"
)

// writeArrays writes the model as a folder of arrays, and the ids of items and documents as JSON.
func writeArrays(ctx context.Context, j *job, dir *durable.Dir) error {
	k := int64(j.Topics())
	return all(
		func() error { return writeRows(dir, "topic_items.npy", j.Items) },
		func() error { return writeRows(dir, "mixtures.npy", j.Mixtures) },
		func() error { return writeArray(dir, "correlations.npy", j.TopicJoint, k, k) },
		func() error { return writeArray(dir, "shares.npy", j.Shares, k) },
		func() error { return writeArray(dir, "probability.npy", j.Probability, int64(len(j.Probability))) },
		func() error { return writeArray(dir, "df.npy", j.DocumentFrequency, int64(len(j.DocumentFrequency))) },
		func() error { return writeArray(dir, "tf.npy", j.TermFrequency, int64(len(j.TermFrequency))) },
		func() error { return j.writeVectors(ctx, dir) },
		func() error {
			return writeItems(j, dir, func(m *model.Model, i int) string { return m.Vocabulary.ID(i) })
		},
		func() error { return j.writeDocuments(ctx, dir) },
	)
}

// writeDocuments writes the mixtures of the documents, M×K, and their ids, if there are documents.
func (j *job) writeDocuments(ctx context.Context, dir *durable.Dir) error {
	if len(j.Documents) == 0 {
		return nil
	}
	rows := int64(0)
	if err := j.eachDocuments(ctx, func(known []int64, _ []float32) error {
		rows += int64(len(known))
		return nil
	}); err != nil {
		return err
	}
	if err := dir.WriteFile("document_topics.npy", func(w io.Writer) error {
		return npy.Write(w, []int64{rows, int64(j.Topics())}, func(write func([]float32) error) error {
			return j.eachDocuments(ctx, func(_ []int64, mixtures []float32) error { return write(mixtures) })
		})
	}); err != nil {
		return err
	}
	return dir.WriteFile("documents.json", func(w io.Writer) error { return j.writeDocumentIDs(ctx, w) })
}

// writeDocumentIDs writes the ids of the documents as a JSON array, one after the other.
func (j *job) writeDocumentIDs(ctx context.Context, w io.Writer) error {
	before := "["
	fields := []tablefile.Field{{Name: "doc_id", Type: tablefile.String}}
	if err := j.read(ctx, fields, func(_ string, _ int64, columns []any) error {
		for _, id := range columns[0].([]string) {
			text, err := json.Marshal(id)
			if err == nil {
				_, err = fmt.Fprintf(w, "%s%s", before, text)
			}
			if err != nil {
				return err
			}
			before = ","
		}
		return nil
	}); err != nil {
		return err
	}
	if before == "," {
		before = ""
	}
	_, err := io.WriteString(w, before+"]\n")
	return err
}

// all calls functions up to the first error.
func all(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// writeArray writes a .npy file.
func writeArray[T npy.Number](dir *durable.Dir, name string, values []T, shape ...int64) error {
	return dir.WriteFile(name, func(w io.Writer) error {
		return npy.Write(w, shape, func(write func([]T) error) error { return write(values) })
	})
}

// writeRows writes a tall matrix as a .npy file of single precision, a row per item.
func writeRows(dir *durable.Dir, name string, t *matrix.Tall) error {
	return dir.WriteFile(name, func(w io.Writer) error {
		return npy.WriteRows(w, t.Rows(), t.Cols(), func(dst []float32, i int) {
			for k, v := range t.Row(i) {
				dst[k] = float32(v)
			}
		})
	})
}

// leastProbability takes the place of smaller values in distributions, whose logarithm other programs take.
const leastProbability = 1e-12

// writeDistributions writes the topics as a .npy file of single precision, K×N: row k is p(item | topic k), at least
// leastProbability, and sums to 1.
func (j *job) writeDistributions(dir *durable.Dir, name string) error {
	k, n := j.Topics(), j.Vocabulary.Len()
	sums := make([]float64, k)
	for i := range n {
		for a, p := range j.Items.Row(i) {
			sums[a] += max(p, leastProbability)
		}
	}
	return dir.WriteFile(name, func(w io.Writer) error {
		return npy.WriteRows(w, k, n, func(dst []float32, a int) {
			for i := range dst {
				dst[i] = float32(max(j.Items.Row(i)[a], leastProbability) / sums[a])
			}
		})
	})
}

// writeItems writes items.json: what of says of each item, as numbers if all are integers.
func writeItems(j *job, dir *durable.Dir, of func(m *model.Model, i int) string) error {
	return dir.WriteFile("items.json", func(w io.Writer) error {
		ids := make([]json.RawMessage, j.Vocabulary.Len())
		for i := range ids {
			text := of(j.Model, i)
			if j.Vocabulary.Integers() && text == j.Vocabulary.ID(i) {
				ids[i] = json.RawMessage(text)
				continue
			}
			var err error
			if ids[i], err = json.Marshal(text); err != nil {
				return err
			}
		}
		return json.NewEncoder(w).Encode(ids)
	})
}

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

// ItemError reports two items that have the same name in a format: white space, which separates the values there, is
// replaced by _.
type ItemError struct {
	Format Format
	Items  [2]string
	Name   string
}

// Error names the items.
func (e *ItemError) Error() string {
	return fmt.Sprintf("%s cannot tell the items %q and %q apart: both are %q there", e.Format, e.Items[0], e.Items[1],
		e.Name)
}

// words returns the ids of all items with _ in place of white space and of control characters.
func words(v *corpus.Vocabulary, to Format) ([]string, error) {
	names := make([]string, v.Len())
	changed := map[string]int{}
	for i := range names {
		id := v.ID(i)
		names[i] = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) || unicode.IsControl(r) {
				return '_'
			}
			return r
		}, id)
		if names[i] == id {
			continue
		}
		other, known := v.Lookup([]byte(names[i]))
		if before, twice := changed[names[i]]; twice {
			other, known = int32(before), true
		}
		if known {
			return nil, &ItemError{to, [2]string{v.ID(int(other)), id}, names[i]}
		}
		changed[names[i]] = i
	}
	return names, nil
}
