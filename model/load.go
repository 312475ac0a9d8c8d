// This file loads a fitted model.

package model

import (
	"fmt"

	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/matrix"
	"anchorage/shard"
)

// Model is a fitted model as a directory holds it. N×K matrices have single precision there.
type Model struct {
	Manifest       Manifest
	Vocabulary     *corpus.Vocabulary
	Weights        []float64    // ω of every item; nil where all weigh 1
	Mixtures       *matrix.Tall // N×K: row i is p(topic | item i)
	Items          *matrix.Tall // B, N×K: column k is p(item | topic k)
	Anchors        []int        // of each topic; nil where there are none
	TopicJoint   []float64    // A, K×K row-major
	Prominent      [][]int      // items of each topic by p(item | topic), the most probable first
	Characteristic [][]int      // items of each topic by how they co-occur with its anchor; nil where there are no anchors
}

// Load loads a model.
func Load(path string) (*Model, error) {
	m := &Model{}
	var err error
	if m.Manifest, err = ReadManifest(path, KindModel); err != nil {
		return nil, err
	}
	if m.Vocabulary, err = loadVocabulary(path, &m.Manifest); err != nil {
		return nil, err
	}
	k := m.Manifest.Sketch.Topics
	if err := m.readWeights(objects.Join(path, "items.parquet")); err != nil {
		return nil, err
	}
	if m.Mixtures, err = readSingle(objects.Join(path, "items.parquet"), "mixture", m.Vocabulary.Len(), k); err != nil {
		return nil, err
	}
	if m.Items, err = readSingle(objects.Join(path, "topic_items.parquet"), "loadings", m.Vocabulary.Len(), k); err != nil {
		return nil, err
	}
	if m.Manifest.Bayes == nil {
		if err := m.readAnchors(objects.Join(path, "anchors.parquet"), k); err != nil {
			return nil, err
		}
	}
	if err := m.readCorrelations(objects.Join(path, "correlations.parquet"), k); err != nil {
		return nil, err
	}
	return m, m.readTopics(objects.Join(path, "topics.parquet"), k)
}

// readWeights reads the items' weights, where they have any.
func (m *Model) readWeights(path string) error {
	if m.Manifest.Sketch.ItemWeights == WeightsNone {
		return nil
	}
	fields := []shard.Field{{Name: "index", Type: shard.Int32}, {Name: "weight", Type: shard.Float64}}
	err := readRows(path, fields, func(columns []any) error {
		m.Weights = append(m.Weights, columns[1].([]float64)...)
		return nil
	})
	if err == nil && len(m.Weights) != m.Vocabulary.Len() {
		err = &InputError{Path: path, Reason: fmt.Sprintf("has %d rows, and the vocabulary %d items", len(m.Weights), m.Vocabulary.Len())}
	}
	return err
}

// readSingle reads a tall matrix of single precision.
func readSingle(path, column string, rows, cols int) (*matrix.Tall, error) {
	t := matrix.NewTall(rows, cols)
	at := 0
	fields := []shard.Field{{Name: "index", Type: shard.Int32}, {Name: column, Type: shard.Float32List, Width: cols}}
	err := readRows(path, fields, func(columns []any) error {
		values := columns[1].([]float32)
		for ; len(values) > 0; values = values[cols:] {
			if at == rows {
				return fmt.Errorf("has more than the %d rows of the vocabulary", rows)
			}
			row := t.Row(at)
			for j := range row {
				row[j] = float64(values[j])
			}
			at++
		}
		return nil
	})
	if err == nil && at < rows {
		err = &InputError{Path: path, Reason: fmt.Sprintf("has %d rows, and the vocabulary %d items", at, rows)}
	}
	return t, err
}

func (m *Model) readAnchors(path string, k int) error {
	fields := []shard.Field{{Name: "topic", Type: shard.Int32}, {Name: "index", Type: shard.Int32}}
	err := readRows(path, fields, func(columns []any) error {
		for _, index := range columns[1].([]int32) {
			if index < 0 || int(index) >= m.Vocabulary.Len() {
				return fmt.Errorf("has an anchor %d outside of the vocabulary", index)
			}
			m.Anchors = append(m.Anchors, int(index))
		}
		return nil
	})
	if err == nil && len(m.Anchors) != k {
		err = &InputError{Path: path, Reason: fmt.Sprintf("has %d anchors for %d topics", len(m.Anchors), k)}
	}
	return err
}

func (m *Model) readCorrelations(path string, k int) error {
	fields := []shard.Field{{Name: "topic_a", Type: shard.Int32}, {Name: "topic_b", Type: shard.Int32}, {Name: "probability", Type: shard.Float64}}
	m.TopicJoint = make([]float64, k*k)
	err := shard.ReadTable(path, fields, func(_ int64, columns []any) error {
		a, b := columns[0].([]int32), columns[1].([]int32)
		for i, p := range columns[2].([]float64) {
			if a[i] < 0 || int(a[i]) >= k || b[i] < 0 || int(b[i]) >= k {
				return &InputError{Path: path, Reason: fmt.Sprintf("has topics %d and %d, and there are %d", a[i], b[i], k)}
			}
			m.TopicJoint[int(a[i])*k+int(b[i])] = p
		}
		return nil
	})
	return err
}

// readTopics reads the lists of items that topics are read by.
func (m *Model) readTopics(path string, k int) error {
	ids := idField(m.Vocabulary)
	fields := []shard.Field{{Name: "topic", Type: shard.Int32}, {Name: "kind", Type: shard.String}, ids}
	m.Prominent = make([][]int, k)
	if m.Anchors != nil {
		m.Characteristic = make([][]int, k)
	}
	return shard.ReadTable(path, fields, func(_ int64, columns []any) error {
		topics, kinds := columns[0].([]int32), columns[1].([]string)
		for i, topic := range topics {
			var id string
			if ids.Type == shard.Int64 {
				id = fmt.Sprint(columns[2].([]int64)[i])
			} else {
				id = columns[2].([]string)[i]
			}
			index, known := m.Vocabulary.Lookup([]byte(id))
			if !known || topic < 0 || int(topic) >= k || kinds[i] == "characteristic" && m.Characteristic == nil {
				return &InputError{Path: path, Reason: fmt.Sprintf("has item %q in topic %d, which the model does not have", id, topic)}
			}
			list := &m.Prominent[topic]
			if kinds[i] == "characteristic" {
				list = &m.Characteristic[topic]
			}
			*list = append(*list, int(index))
		}
		return nil
	})
}
