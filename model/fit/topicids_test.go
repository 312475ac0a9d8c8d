package fit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/bayes"
	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/shard/tablefile"
)

// A fit that continues a model is saved with its ids and drift.parquet, and loaded with them; a manifest of wrong ids
// is refused.
func TestContinue(t *testing.T) {
	_, path := fitted(t, "word-%d")
	then, err := model.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	then.Manifest.SetIDs([]int{2, 0, 11, 1}, 12)
	then.TopicIDs = then.Manifest.IDs(4)
	folder := t.TempDir()
	writeShard(t, filepath.Join(folder, "a.parquet"), "word-%d", 1)
	s, err := Fit(t.Context(), openCorpus(t, 0, nil, filepath.Join(folder, "a.parquet")), Options{Topics: 4, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Continue(t.Context(), then, 0)
	if err != nil {
		t.Fatal(err)
	}
	if found.Summary.Kept != 4 || found.Summary.LargestDistance > 1e-3 { // the loaded model has single precision
		t.Errorf("%+v", found.Summary)
	}
	now := filepath.Join(folder, "model")
	if err := s.Save(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(t.Context(), now)
	if err != nil || !slices.Equal(m.TopicIDs, then.TopicIDs) || m.Manifest.NextTopicID != 12 {
		t.Fatalf("ids %v, next %d, %v", m.TopicIDs, m.Manifest.NextTopicID, err)
	}
	if !slices.ContainsFunc(m.Manifest.Outputs, func(o model.OutputRecord) bool { return o.Name == "drift.parquet" }) {
		t.Error("the manifest does not list the table of the drift")
	}
	readDrift(t, filepath.Join(now, "drift.parquet"), found)
	if err := replaceIn("manifest.json", `"next_topic_id": 12`, `"next_topic_id": 11`)(now); err != nil {
		t.Fatal(err)
	}
	var input *model.InputError
	if _, err := model.Load(t.Context(), now); !errors.As(err, &input) || !strings.Contains(err.Error(), "topic id 11") {
		t.Errorf("a wrong next id: %v", err)
	}
}

// readDrift checks the table of a drift.
func readDrift(t *testing.T, path string, want *drift.Drift) {
	t.Helper()
	fields := []tablefile.Field{{Name: "kind", Type: tablefile.String}, {Name: "then_id", Type: tablefile.Int32},
		{Name: "now_id", Type: tablefile.Int32},
		{Name: "distance", Type: tablefile.Float64}, {Name: "risen", Type: tablefile.StringList, Width: drift.Items},
		{Name: "fallen_now", Type: tablefile.Float64List, Width: drift.Items}}
	rows := 0
	err := tablefile.Read(t.Context(), path, fields, func(first int64, columns []any) error {
		for i, kind := range columns[0].([]string) {
			topic := &want.Topics[int(first)+i]
			got := fmt.Sprint(kind, columns[1].([]int32)[i], columns[2].([]int32)[i], columns[3].([]float64)[i])
			if w := fmt.Sprint(topic.Kind, topic.ThenID, topic.NowID, topic.Distance); got != w {
				t.Errorf("row %d is %s, want %s", i, got, w)
			}
			for rank := range drift.Items {
				item, now := columns[4].([]string)[i*drift.Items+rank], columns[5].([]float64)[i*drift.Items+rank]
				if rank < len(topic.Risen) && item != topic.Risen[rank].Item || rank >= len(topic.Risen) && item != "" {
					t.Errorf("row %d, rank %d has %q of %v", i, rank, item, topic.Risen)
				}
				if rank < len(topic.Fallen) && now != topic.Fallen[rank].Now || rank >= len(topic.Fallen) && now != 0 {
					t.Errorf("row %d, rank %d has %v of %v", i, rank, now, topic.Fallen)
				}
			}
			rows++
		}
		return nil
	})
	if err != nil || rows != len(want.Topics) {
		t.Errorf("%d rows of %d, %v", rows, len(want.Topics), err)
	}
}

// A first generation has the manifest of a fit, whether it is compared with an equal model or not.
func TestContinueOfTheSame(t *testing.T) {
	s, path := fitted(t, "%d")
	before, err := os.ReadFile(filepath.Join(path, model.ManifestFile))
	if err != nil || strings.Contains(string(before), "topic_id") {
		t.Fatal("a fit has topic ids in its manifest")
	}
	then, err := model.Load(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Continue(t.Context(), then, 0); err != nil || s.Manifest.TopicIDs != nil ||
		s.Manifest.NextTopicID != 0 {
		t.Errorf("%v, %d, %v", s.Manifest.TopicIDs, s.Manifest.NextTopicID, err)
	}
}

// Models of variational inference, which have no anchors, are continued like others.
func TestContinueBayes(t *testing.T) {
	s, path := fitBayes(t, "word-%d", BayesOptions{Options: bayes.Options{Model: bayes.LDA}})
	then, err := model.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	then.Manifest.SetIDs([]int{9, 8, 7, 6, 5}, 10)
	then.TopicIDs = then.Manifest.IDs(5)
	d, err := s.Continue(t.Context(), then, 0)
	if err != nil || d.Summary.Kept != 5 || !slices.Equal(s.Loaded().TopicIDs, then.TopicIDs) ||
		s.Manifest.NextTopicID != 10 {
		t.Errorf("%+v, ids %v, %v", d, s.Manifest.TopicIDs, err)
	}
	for _, topic := range d.Topics {
		if topic.Distance > 1e-3 || len(topic.Prominent) != drift.Items {
			t.Errorf("%+v", topic)
		}
	}
}
