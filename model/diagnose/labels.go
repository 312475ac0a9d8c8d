// This file compares the topics of items with labels that people gave to them.

package diagnose

import (
	"context"

	"anchorage/metric"
	"anchorage/model"
	"anchorage/stream"
)

// LabelReport says how far the topics of items agree with labels.
type LabelReport struct {
	Items    int          `json:"items"`    // of the model
	Listed   int          `json:"listed"`   // items that the labels are of
	Unknown  int          `json:"unknown"`  // of these, items that the model does not have
	Labelled int          `json:"labelled"` // items of the model that have a label
	Labels   int          `json:"labels"`   // labels that they have
	Levels   []LabelLevel `json:"levels"`   // the coarsest first
}

// LabelLevel is the agreement of labels with the topics of a level.
type LabelLevel struct {
	Topics  int                 `json:"topics"`
	Classes []metric.LabelClass `json:"classes"`
}

// Labels compares the most probable topics of items, at every level of a model, with labels of its vocabulary. The
// error is one of reading a level.
func Labels(ctx context.Context, m *model.Model, labels *stream.Labels) (*LabelReport, error) {
	report := &LabelReport{Items: m.Vocabulary.Len(), Listed: labels.Listed, Unknown: labels.Unknown,
		Labelled: metric.Distinct(labels.Items), Labels: len(labels.Names)}
	levels, err := m.AllLevels(ctx)
	for _, level := range levels {
		report.Levels = append(report.Levels, LabelLevel{level.Topics(),
			metric.AgreeByFrequency(level.DocumentFrequency, level.TopTopic, labels.Items, labels.Labels)})
	}
	return report, err
}
