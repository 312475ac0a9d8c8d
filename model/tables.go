// This file holds the tables that more than one stage reads or writes.

package model

import (
	"fmt"
	"io"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/matrix"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// The files of the directories.
const (
	vocabularyFile   = "vocabulary.parquet"
	marginalsFile    = "marginals.parquet"
	spectrumFile     = "spectrum.parquet"
	eigenvectorsFile = "eigenvectors.parquet"
	sketchFile       = "sketch.parquet"
	factorFile       = "factor.parquet"
	evidenceFile     = "evidence.parquet"
	halvesFile       = "halves.parquet"
)

// groupRows is the number of rows of a row group in tables with one row per item.
const groupRows = 4 * matrix.BlockRows

// writeTable writes a table whose columns come in runs of rows: rows calls write for each run.
func writeTable(dir *durable.Dir, name string, fields []shard.Field, rows func(write func(columns ...any) error) error) error {
	return dir.WriteFile(name, func(w io.Writer) error {
		table, err := shard.NewTableWriter(w, fields)
		if err != nil {
			return err
		}
		if err := rows(table.Write); err != nil {
			return err
		}
		return table.Close()
	})
}

// groups calls fn for successive runs of groupRows rows.
func groups(rows int, fn func(first, last int) error) error {
	for first := 0; first < rows; first += groupRows {
		if err := fn(first, min(first+groupRows, rows)); err != nil {
			return err
		}
	}
	return nil
}

func writeVocabulary(dir *durable.Dir, v *corpus.Vocabulary) error {
	return dir.WriteFile(vocabularyFile, func(w io.Writer) error { return stream.WriteVocabulary(w, v) })
}

// marginalsFields are the marginals as they are summed up, so that sketches can be merged: divided by the documents,
// row_sum is p.
var marginalsFields = []shard.Field{
	{Name: "index", Type: shard.Int32}, {Name: "df", Type: shard.Int64}, {Name: "tf", Type: shard.Int64},
	{Name: "row_sum", Type: shard.Float64}, {Name: "diagonal", Type: shard.Float64}, {Name: "weight", Type: shard.Float64},
}

func writeMarginals(dir *durable.Dir, m *sketch.Marginals) error {
	return writeTable(dir, marginalsFile, marginalsFields, func(write func(...any) error) error {
		return groups(len(m.RowSums), func(first, last int) error {
			return write(indices(first, last), m.DocumentFrequency[first:last], m.TermFrequency[first:last], m.RowSums[first:last], m.Diagonal[first:last], weightsOf(m, first, last))
		})
	})
}

// weightsOf returns ω of items [first, last), where it is 1 for all too.
func weightsOf(m *sketch.Marginals, first, last int) []float64 {
	if m.Weights != nil {
		return m.Weights[first:last]
	}
	ones := make([]float64, last-first)
	for i := range ones {
		ones[i] = 1
	}
	return ones
}

func readMarginals(path string, manifest *Manifest) (m sketch.Marginals, err error) {
	m.Documents = manifest.Corpus.Documents
	err = readRows(objects.Join(path, marginalsFile), marginalsFields, func(columns []any) error {
		m.DocumentFrequency = append(m.DocumentFrequency, columns[1].([]int64)...)
		m.TermFrequency = append(m.TermFrequency, columns[2].([]int64)...)
		m.RowSums = append(m.RowSums, columns[3].([]float64)...)
		m.Diagonal = append(m.Diagonal, columns[4].([]float64)...)
		if manifest.Sketch.ItemWeights != WeightsNone {
			m.Weights = append(m.Weights, columns[5].([]float64)...)
		}
		return nil
	})
	return m, err
}

var spectrumFields = []shard.Field{{Name: "rank", Type: shard.Int32}, {Name: "eigenvalue", Type: shard.Float64}, {Name: "residual", Type: shard.Float64}}

func writeSpectrum(dir *durable.Dir, values, residuals []float64) error {
	return writeTable(dir, spectrumFile, spectrumFields, func(write func(...any) error) error {
		return write(indices(0, len(values)), values, residuals)
	})
}

func readSpectrum(path string) (values, residuals []float64, err error) {
	err = readRows(objects.Join(path, spectrumFile), spectrumFields, func(columns []any) error {
		values = append(values, columns[1].([]float64)...)
		residuals = append(residuals, columns[2].([]float64)...)
		return nil
	})
	return values, residuals, err
}

// tallFields are those of a table that holds a tall matrix, a row per item, in the column of the given name.
func tallFields(name string, cols int) []shard.Field {
	return []shard.Field{{Name: "index", Type: shard.Int32}, {Name: name, Type: shard.Float64List, Width: cols}}
}

func writeTall(dir *durable.Dir, file, column string, t *matrix.Tall) error {
	return writeTable(dir, file, tallFields(column, t.Cols()), func(write func(...any) error) error {
		var values []float64
		return groups(t.Rows(), func(first, last int) error {
			values = values[:0]
			for i := first; i < last; i++ {
				values = append(values, t.Row(i)...)
			}
			return write(indices(first, last), values)
		})
	})
}

func readTall(path, column string, rows, cols int) (*matrix.Tall, error) {
	t := matrix.NewTall(rows, cols)
	at := 0
	err := readRows(path, tallFields(column, cols), func(columns []any) error {
		values := columns[1].([]float64)
		for ; len(values) > 0; values = values[cols:] {
			if at == rows {
				return fmt.Errorf("has more than the %d rows of the vocabulary", rows)
			}
			copy(t.Row(at), values[:cols])
			at++
		}
		return nil
	})
	if err == nil && at < rows {
		err = &InputError{Path: path, Reason: fmt.Sprintf("has %d rows, and the vocabulary %d items", at, rows)}
	}
	return t, err
}

// readRows reads a table whose first column counts its rows from 0.
func readRows(path string, fields []shard.Field, fn func(columns []any) error) error {
	return shard.ReadTable(path, fields, func(firstRow int64, columns []any) error {
		for i, index := range columns[0].([]int32) {
			if int64(index) != firstRow+int64(i) {
				return &InputError{Path: path, Reason: fmt.Sprintf("has %s %d in row %d", fields[0].Name, index, firstRow+int64(i)+1)}
			}
		}
		if err := fn(columns); err != nil {
			return &InputError{Path: path, Reason: err.Error()}
		}
		return nil
	})
}

// indices returns first, …, last−1.
func indices(first, last int) []int32 {
	numbers := make([]int32, last-first)
	for i := range numbers {
		numbers[i] = int32(first + i)
	}
	return numbers
}
