// This file writes NumPy arrays, by themselves and for the formats that consist of them.

package export

import (
	"archive/zip"
	"compress/flate"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"anchorage/internal/durable"
	"anchorage/internal/npy"
	"anchorage/matrix"
	"anchorage/model"
)

// putter writes a named member of an export: a file of a folder, or a member of an archive.
type putter func(name string, fill func(io.Writer) error) error

// writeArrays writes the model as a folder of arrays, and the ids of items and documents as JSON.
func writeArrays(ctx context.Context, j *job, dir *durable.Dir) error {
	err := j.putArrays(ctx, dir.WriteFile)
	if err == nil {
		err = writeItems(j, dir, func(m *model.Model, i int) string { return m.Vocabulary.ID(i) })
	}
	if err != nil || len(j.Documents) == 0 {
		return err
	}
	return dir.WriteFile("documents.json", func(w io.Writer) error { return j.writeDocumentIDs(ctx, w) })
}

// writeArchive writes the model as the archive of arrays that numpy.load reads: the same, and the ids of items and
// documents as arrays of strings.
func writeArchive(ctx context.Context, j *job, w io.Writer) error {
	archive := zip.NewWriter(w)
	archive.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	put := func(name string, fill func(io.Writer) error) error {
		member, err := archive.Create(name)
		if err != nil {
			return err
		}
		return fill(member)
	}
	err := j.putArrays(ctx, put)
	if err == nil {
		err = put("items.npy", func(w io.Writer) error {
			return npy.WriteStrings(w, func(yield func(string) error) error {
				for i := range j.Vocabulary.Len() {
					if err := yield(j.Vocabulary.ID(i)); err != nil {
						return err
					}
				}
				return nil
			})
		})
	}
	if err == nil && len(j.Documents) > 0 {
		err = put("documents.npy", func(w io.Writer) error {
			return npy.WriteStrings(w, func(yield func(string) error) error { return j.eachDocumentID(ctx, yield) })
		})
	}
	if err != nil {
		return err
	}
	return archive.Close()
}

// putArrays writes the arrays that folders and archives have.
func (j *job) putArrays(ctx context.Context, put putter) error {
	k := int64(j.Topics())
	return all(
		func() error { return putRows(put, "topic_items.npy", j.Items) },
		func() error { return putRows(put, "mixtures.npy", j.Mixtures) },
		func() error { return putArray(put, "correlations.npy", j.TopicJoint, k, k) },
		func() error { return putArray(put, "shares.npy", j.Shares, k) },
		func() error { return putArray(put, "probability.npy", j.Probability, int64(len(j.Probability))) },
		func() error { return putArray(put, "df.npy", j.DocumentFrequency, int64(len(j.DocumentFrequency))) },
		func() error { return putArray(put, "tf.npy", j.TermFrequency, int64(len(j.TermFrequency))) },
		func() error { return j.putVectors(ctx, put) },
		func() error { return j.putDocumentTopics(ctx, put) },
	)
}

// putDocumentTopics writes the mixtures of the documents, M×K, if there are documents.
func (j *job) putDocumentTopics(ctx context.Context, put putter) error {
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
	return put("document_topics.npy", func(w io.Writer) error {
		return npy.Write(w, []int64{rows, int64(j.Topics())}, func(write func([]float32) error) error {
			return j.eachDocuments(ctx, func(_ []int64, mixtures []float32) error { return write(mixtures) })
		})
	})
}

// writeDocumentIDs writes the ids of the documents as a JSON array, one after the other.
func (j *job) writeDocumentIDs(ctx context.Context, w io.Writer) error {
	before := "["
	err := j.eachDocumentID(ctx, func(id string) error {
		text, err := json.Marshal(id)
		if err == nil {
			_, err = fmt.Fprintf(w, "%s%s", before, text)
		}
		before = ","
		return err
	})
	if err != nil {
		return err
	}
	if before == "," {
		before = ""
	}
	_, err = io.WriteString(w, before+"]\n")
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

// putArray writes a .npy file.
func putArray[T npy.Number](put putter, name string, values []T, shape ...int64) error {
	return put(name, func(w io.Writer) error {
		return npy.Write(w, shape, func(write func([]T) error) error { return write(values) })
	})
}

// putRows writes a tall matrix as a .npy file of single precision, a row per item.
func putRows(put putter, name string, t *matrix.Tall) error {
	return put(name, func(w io.Writer) error {
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
