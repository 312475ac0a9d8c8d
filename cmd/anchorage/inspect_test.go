package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"anchorage/shard"
	"anchorage/stream"
)

func TestPrintShard(t *testing.T) {
	whole := stream.InspectedShard{Path: "a.csv", Format: "csv", DecidedBy: "name", Bytes: 9, Documents: 2,
		Nonzeros: 5, Whole: true}
	whole.Columns, whole.Rows = []shard.Column{{Name: "a b"}, {Name: "n", Type: "int64"}}, -1
	whole.Mapping = &shard.Mapping{Format: shard.CSV}
	whole.Mapping.Long, whole.Mapping.Documents, whole.Mapping.Items = true, "a b", "n"
	var out bytes.Buffer
	printShard(&out, whole)
	want := "a.csv\n  csv (name), 9 bytes\n    \"a b\"\n    \"n\" int64\n  read as csv, a row per document and item: " +
		"documents \"a b\", items \"n\", counts 1 for each\n  2 documents with 5 nonzeros\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}

	part := stream.InspectedShard{Path: "p", Format: "parquet", DecidedBy: "given", Documents: 1, Nonzeros: 1}
	part.Groups, part.Rows, part.Writer, part.Problem = 3, 70, "tool 1.0", "broken"
	for i := range 43 {
		part.Columns = append(part.Columns, shard.Column{Name: fmt.Sprint(i)})
	}
	out.Reset()
	printShard(&out, part)
	for _, text := range []string{", 0 bytes, 70 rows in 3 groups, written by \"tool 1.0\"\n",
		"    \"39\"\n    and 3 more columns\n", "  cannot be read: broken\n",
		"  1 documents with 1 nonzeros, and there is more\n"} {
		if !strings.Contains(out.String(), text) {
			t.Errorf("%q is missing in\n%s", text, out.String())
		}
	}
}

func TestPrintPlaces(t *testing.T) {
	var out bytes.Buffer
	printPlaces(&out, "", nil)
	if out.Len() > 0 {
		t.Errorf("of no documents: %s", out.String())
	}
	printPlaces(&out, "distinct items of a document", []stream.Percentile{{Percent: 0, Value: 1}, {Percent: 25, Value: 2},
		{Percent: 50, Value: 3}, {Percent: 100, Value: 4}})
	if got, want := out.String(), "distinct items of a document: least 1, 25 % 2, median 3, most 4\n"; got != want {
		t.Errorf("got %swant %s", got, want)
	}
}

// TestInspectSample wants a shard beyond the sample to be read in part, unless all of it is asked for.
func TestInspectSample(t *testing.T) {
	t.Chdir(t.TempDir())
	var line strings.Builder
	for i := range 1024 {
		fmt.Fprintf(&line, "%d ", i)
	}
	const sampleEntries = 1 << 20 // as stream.Inspect reads
	const lines = sampleEntries/1024 + 70_000
	short := strings.Repeat("1 2 3\n", 70_000)
	if err := os.WriteFile("b.dat", []byte(strings.Repeat(line.String()+"\n", lines-70_000)+short), 0o666); err != nil {
		t.Fatal(err)
	}
	inspect := func(args ...string) (view stream.Inspection) {
		stdout, _ := execute(t, exitDone, append([]string{"inspect", "b.dat", "--json", "--log-level", "error"}, args...)...)
		if err := json.Unmarshal([]byte(stdout), &view); err != nil {
			t.Fatal(err)
		}
		return view
	}
	if view := inspect("--full"); !view.Full || view.Documents != lines || view.Items != 1024 || !view.Shards[0].Whole {
		t.Errorf("in full: %d documents of %d, %d items, %v", view.Documents, lines, view.Items, view.Full)
	}
	if view := inspect(); view.Full || view.Documents >= lines || view.Nonzeros < sampleEntries || view.Shards[0].Whole {
		t.Errorf("a sample: %d documents of %d, %d nonzeros, %v", view.Documents, lines, view.Nonzeros, view.Full)
	}
}
