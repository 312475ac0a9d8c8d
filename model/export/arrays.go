// This file writes NumPy arrays, by themselves and for the formats that consist of them.

package export

import (
	"context"
	"encoding/json"
	"io"
	"strconv"

	"anchorage/internal/durable"
	"anchorage/internal/npy"
	"anchorage/matrix"
)

// writeArrays writes the model as arrays, and the ids of the items as a JSON array.
func writeArrays(_ context.Context, j *job, dir *durable.Dir) error {
	k := int64(j.Topics())
	return all(
		func() error { return writeItems(j, dir) },
		func() error { return writeRows(dir, "topic_items.npy", j.Items) },
		func() error { return writeRows(dir, "mixtures.npy", j.Mixtures) },
		func() error { return writeArray(dir, "correlations.npy", j.TopicJoint, k, k) },
		func() error { return writeArray(dir, "shares.npy", j.Shares, k) },
		func() error { return writeArray(dir, "probability.npy", j.Probability, int64(len(j.Probability))) },
		func() error { return writeArray(dir, "df.npy", j.DocumentFrequency, int64(len(j.DocumentFrequency))) },
		func() error { return writeArray(dir, "tf.npy", j.TermFrequency, int64(len(j.TermFrequency))) },
	)
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

// writeItems writes items.json: the ids, as numbers if all are integers.
func writeItems(j *job, dir *durable.Dir) error {
	return dir.WriteFile("items.json", func(w io.Writer) error {
		ids := make([]json.RawMessage, j.Vocabulary.Len())
		for i := range ids {
			if j.Vocabulary.Integers() {
				number, err := strconv.ParseInt(j.Vocabulary.ID(i), 10, 64)
				if err != nil {
					return err
				}
				ids[i] = strconv.AppendInt(nil, number, 10)
				continue
			}
			id, err := json.Marshal(j.Vocabulary.ID(i))
			if err != nil {
				return err
			}
			ids[i] = id
		}
		return json.NewEncoder(w).Encode(ids)
	})
}
