// This file writes a fitted model.

package model

import (
	"slices"
	"strconv"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/shard"
)

// TopItems is how many prominent and characteristic items of a topic a model lists.
const TopItems = 20

// SaveModel writes the fitted model into dir and commits it.
func (s *State) SaveModel(dir *durable.Dir) error {
	return s.save(dir, s.writeCommonModel, s.writeItems, s.writeTopics, s.writeTopicItems, s.writeAnchors, s.writeCorrelations, s.writeBayes)
}

func (s *State) writeCommonModel(dir *durable.Dir) error {
	if err := writeVocabulary(dir, s.Vocabulary); err != nil {
		return err
	}
	if len(s.Values) > 0 {
		if err := writeSpectrum(dir, s.Values, s.Residuals); err != nil {
			return err
		}
	}
	if s.Factor == nil {
		return nil // found on a dense C
	}
	return writeTall(dir, factorFile, "y", s.Factor)
}

// writeItems writes a row per item: its frequencies among the documents that count, its probability, and its mixture of
// topics.
func (s *State) writeItems(dir *durable.Dir) error {
	t, m := s.Topics, &s.Marginals
	probability := m.Probabilities()
	reliability := t.Reliability
	if reliability == nil {
		reliability = slices.Repeat([]float64{1}, s.Vocabulary.Len())
	}
	fields := []shard.Field{
		idField(s.Vocabulary), {Name: "index", Type: shard.Int32}, {Name: "df", Type: shard.Int64}, {Name: "tf", Type: shard.Int64},
		{Name: "probability", Type: shard.Float64}, {Name: "weight", Type: shard.Float64}, {Name: "reliability", Type: shard.Float64},
		{Name: "top_topic", Type: shard.Int32},
		{Name: "mixture", Type: shard.Float32List, Width: t.K},
	}
	return writeTable(dir, "items.parquet", fields, func(write func(...any) error) error {
		return groups(s.Vocabulary.Len(), func(first, last int) error {
			top := make([]int32, 0, last-first)
			mixture := make([]float32, 0, (last-first)*t.K)
			for i := first; i < last; i++ {
				row := t.Mixtures.Row(i)
				best := 0
				for k, v := range row {
					mixture = append(mixture, float32(v))
					if v > row[best] {
						best = k
					}
				}
				top = append(top, int32(best))
			}
			return write(ids(s.Vocabulary, indices(first, last)), indices(first, last), m.DocumentFrequency[first:last],
				m.TermFrequency[first:last], probability[first:last], weightsOf(m, first, last),
				reliability[first:last], top, mixture)
		})
	})
}

// writeTopics writes the items that topics are read by, a row per topic, kind and rank.
func (s *State) writeTopics(dir *durable.Dir) error {
	fields := []shard.Field{
		{Name: "topic", Type: shard.Int32}, {Name: "kind", Type: shard.String}, {Name: "rank", Type: shard.Int32},
		idField(s.Vocabulary), {Name: "probability", Type: shard.Float64},
	}
	return writeTable(dir, "topics.parquet", fields, func(write func(...any) error) error {
		prominent, characteristic := s.Prominent(), s.Topics.Characteristic(TopItems)
		var topics, ranks, items []int32
		var kinds []string
		var probabilities []float64
		for k := range s.Topics.K {
			for _, list := range []struct {
				kind  string
				items []Scored
			}{{"prominent", prominent[k]}, {"characteristic", characteristic[k]}} {
				for rank, scored := range list.items {
					topics, kinds, ranks = append(topics, int32(k)), append(kinds, list.kind), append(ranks, int32(rank))
					items, probabilities = append(items, int32(scored.Item)), append(probabilities, scored.Probability)
				}
			}
		}
		return write(topics, kinds, ranks, ids(s.Vocabulary, items), probabilities)
	})
}

// writeTopicItems writes B, a row per item.
func (s *State) writeTopicItems(dir *durable.Dir) error {
	t := s.Topics
	fields := []shard.Field{{Name: "index", Type: shard.Int32}, {Name: "loadings", Type: shard.Float32List, Width: t.K}}
	return writeTable(dir, "topic_items.parquet", fields, func(write func(...any) error) error {
		row := make([]float64, t.K)
		var loadings []float32
		return groups(s.Vocabulary.Len(), func(first, last int) error {
			loadings = loadings[:0]
			for i := first; i < last; i++ {
				t.BRow(row, i)
				for _, v := range row {
					loadings = append(loadings, float32(v))
				}
			}
			return write(indices(first, last), loadings)
		})
	})
}

func (s *State) writeAnchors(dir *durable.Dir) error {
	if s.Topics.Anchors == nil {
		return nil
	}
	fields := []shard.Field{
		{Name: "topic", Type: shard.Int32}, idField(s.Vocabulary), {Name: "index", Type: shard.Int32},
		{Name: "pivot", Type: shard.Float64}, {Name: "df", Type: shard.Int64},
		{Name: "support", Type: shard.Float64}, {Name: "margin", Type: shard.Float64}, {Name: "stable", Type: shard.Int32},
	}
	return writeTable(dir, "anchors.parquet", fields, func(write func(...any) error) error {
		var items, stable []int32
		var df []int64
		var support []float64
		all := s.support()
		for k, i := range s.Topics.Anchors {
			items, df = append(items, int32(i)), append(df, s.Marginals.DocumentFrequency[i])
			support = append(support, all[i])
			halves := int32(-1) // not known
			if s.Topics.InHalves != nil {
				halves = int32(s.Topics.InHalves[k])
			}
			stable = append(stable, halves)
		}
		return write(indices(0, s.Topics.K), ids(s.Vocabulary, items), items, s.Topics.Pivots, df, support, s.Topics.Margins, stable)
	})
}

// support returns how many documents each item's row rests on: effective numbers, or df where that is all there is.
func (s *State) support() []float64 {
	if s.Evidence != nil {
		return s.Evidence.EffectiveSampleSize
	}
	support := make([]float64, len(s.Marginals.DocumentFrequency))
	for i, df := range s.Marginals.DocumentFrequency {
		support[i] = float64(df)
	}
	return support
}

// Prominent returns the TopItems items that each topic is read by, by the relevance that the options say.
func (s *State) Prominent() [][]Scored {
	return s.Topics.Prominent(s.Marginals.Probabilities(), s.relevance, TopItems)
}

func (s *State) writeCorrelations(dir *durable.Dir) error {
	fields := []shard.Field{{Name: "topic_a", Type: shard.Int32}, {Name: "topic_b", Type: shard.Int32}, {Name: "probability", Type: shard.Float64}}
	return writeTable(dir, "correlations.parquet", fields, func(write func(...any) error) error {
		var a, b []int32
		for k := range s.Topics.K {
			for l := range s.Topics.K {
				a, b = append(a, int32(k)), append(b, int32(l))
			}
		}
		return write(a, b, s.Topics.TopicJoint)
	})
}

// idField is the column of item ids: integers where all ids are.
func idField(v *corpus.Vocabulary) shard.Field {
	if v.Integers() {
		return shard.Field{Name: "item_id", Type: shard.Int64}
	}
	return shard.Field{Name: "item_id", Type: shard.String}
}

// ids returns the ids of items as the column idField holds them.
func ids(v *corpus.Vocabulary, items []int32) any {
	if !v.Integers() {
		names := make([]string, len(items))
		for j, i := range items {
			names[j] = v.ID(int(i))
		}
		return names
	}
	numbers := make([]int64, len(items))
	for j, i := range items {
		number, err := strconv.ParseInt(v.ID(int(i)), 10, 64)
		if err != nil {
			panic("model: an integer id is none: " + err.Error())
		}
		numbers[j] = number
	}
	return numbers
}
