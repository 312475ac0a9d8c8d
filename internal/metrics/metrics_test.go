package metrics

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"anchorage/model/drift"
)

// What only one command knows has its place: drift, for one.
func TestMetricsOfCommands(t *testing.T) {
	o := &Run{Command: "update", Drift: &drift.Summary{MeanDistance: 0.25}}
	var text bytes.Buffer
	if err := o.Write(&text); err != nil {
		t.Fatal(err)
	}
	if want := "anchorage_run_topic_distance{command=\"update\",name=\"anchorage.update\"} 0.25\n"; !strings.Contains(text.String(),
		want) {
		t.Errorf("%s lacks %s", text.String(), want)
	}
}

// The page for operators describes every metric.
func TestMetricsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if !strings.Contains(string(page), "`"+m.name+"`") {
			t.Errorf("docs/operations.md does not describe %s", m.name)
		}
	}
}
