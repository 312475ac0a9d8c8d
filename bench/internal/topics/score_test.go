package topics

import (
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/anchor"
	"anchorage/bench/internal/benchtest"
	"anchorage/bench/internal/report"
	"anchorage/corpus"
	"anchorage/internal/npy"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/sketch"
	"anchorage/stream"
)

// openDrawn opens a drawn corpus as a run does.
func openDrawn(t *testing.T) *corpus.Corpus {
	t.Helper()
	folder := t.TempDir()
	drawn := synth.Model{Items: 80, Topics: 4, Documents: 300, Tokens: 25, Seed: 3}.Plant()
	if _, err := drawn.WriteShards(t.Context(), folder, 2); err != nil {
		t.Fatal(err)
	}
	shards, err := shard.Discover(t.Context(), []string{folder}, shard.Options{})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := stream.Open(t.Context(), shards, corpus.Options{MinItems: minItems, MinTokens: minTokens, Dir: t.TempDir(),
		Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { docs.Close() })
	return docs
}

// readArray reads an array of a type.
func readArray[T int32 | int64](t *testing.T, path, descr string) []T {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	got, fortran, shape, err := npy.ReadHeader(file)
	if err != nil || got != descr || fortran || len(shape) != 1 {
		t.Fatalf("%s: %q, %v, %v, %v", path, got, fortran, shape, err)
	}
	values := make([]T, shape[0])
	if err := binary.Read(file, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	if n, err := file.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("%s has more values than it says", path)
	}
	return values
}

// Other programs get the documents that count, row by row.
func TestExportDocuments(t *testing.T) {
	docs, folder := openDrawn(t), t.TempDir()
	if err := ExportDocuments(t.Context(), docs, folder); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, folder, "counts.npy", "indices.npy", "indptr.npy")
	indptr := readArray[int64](t, filepath.Join(folder, "indptr.npy"), "<i8")
	indices := readArray[int32](t, filepath.Join(folder, "indices.npy"), "<i4")
	counts := readArray[int32](t, filepath.Join(folder, "counts.npy"), "<i4")
	if len(indices) != len(counts) || indptr[0] != 0 || indptr[len(indptr)-1] != int64(len(indices)) {
		t.Fatalf("%d indices, %d counts, rows from %d to %d", len(indices), len(counts), indptr[0], indptr[len(indptr)-1])
	}
	row := 0
	err := docs.Pass(t.Context(), func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			items, times := docs.Row(d)
			from, to := indptr[row], indptr[row+1]
			if !slices.Equal(indices[from:to], items) || !slices.Equal(counts[from:to], times) {
				t.Errorf("document %d is %v × %v, want %v × %v", row, indices[from:to], counts[from:to], items, times)
			}
			row++
		}
		return nil
	})
	if err != nil || row != len(indptr)-1 {
		t.Errorf("%d of %d documents: %v", len(indptr)-1, row, err)
	}
	if err := ExportDocuments(t.Context(), docs, filepath.Join(folder, "nowhere")); err == nil {
		t.Error("documents can be written into a folder that is not there")
	}
}

// A score counts what the documents say, by plain counting.
func TestScore(t *testing.T) {
	docs := openDrawn(t)
	n := docs.Vocabulary.Len()
	b := matrix.NewTall(n, 2)
	for i := range n {
		b.Row(i)[i%2] = 2 / float64(n)
	}
	r := newRecord(Run{Topics: 2})
	if err := r.score(t.Context(), docs, b, []int{0, 1, 2}, 1); err != nil {
		t.Fatal(err)
	}
	df := make([]int64, n)
	documents, entries := int64(0), int64(0)
	err := docs.Pass(t.Context(), func(docs *corpus.Documents) error {
		documents += int64(docs.Documents())
		entries += int64(docs.Entries())
		for _, item := range docs.Items[:docs.Entries()] {
			df[item]++
		}
		return nil
	})
	if err != nil || r.Documents != documents || r.Entries != entries {
		t.Errorf("%d documents, %d entries, want %d and %d: %v", r.Documents, r.Entries, documents, entries, err)
	}
	if want := float64(slices.Sorted(slices.Values(df[:3]))[1]); r.Anchors.MedianDF != want {
		t.Errorf("median of the anchors' documents %v, want %v", r.Anchors.MedianDF, want)
	}
	for _, ranking := range r.Rankings {
		if ranking.Diversity != 1 || ranking.LeastDocuments < slices.Min(df) || ranking.ThinTopics < 0 || ranking.ThinTopics > 2 {
			t.Errorf("%+v", ranking)
		}
	}
	without := newRecord(Run{Topics: 2})
	if err := without.score(t.Context(), docs, b, nil, 2); err != nil || !math.IsNaN(without.Anchors.MedianDF) || without.Rankings != r.Rankings {
		t.Errorf("%+v and %+v: %v", without.Rankings, r.Rankings, err)
	}
}

func TestMedianDF(t *testing.T) {
	marginals := &sketch.Marginals{DocumentFrequency: []int64{5, 1, 9, 3}}
	for want, anchors := range map[float64][]int{5: {0}, 3: {0, 1}, 4: {0, 1, 2, 3}} {
		if got := medianDF(anchors, marginals); got != want {
			t.Errorf("anchors %v: %v, want %v", anchors, got, want)
		}
	}
}

// Items without weight count where they occur in documents.
func TestNonPositive(t *testing.T) {
	found := &anchor.Topics{RowSums: []float64{1, 0, -2, 0, 3}}
	found.Stats.Correction.Negative = 4
	if got := nonPositive(found, []float64{1, 1, 1, 0, 1}); got != 4+2 {
		t.Errorf("%v items", got)
	}
}

func TestItemsOf(t *testing.T) {
	found := &anchor.Topics{K: 2, Mixtures: matrix.NewTall(3, 2), RowSums: []float64{1, 2, 3}, Masses: []float64{4, 5}}
	for i := range 3 {
		found.Mixtures.Row(i)[0], found.Mixtures.Row(i)[1] = 0.25, 0.75
	}
	b := itemsOf(found)
	for i := range 3 {
		for k := range 2 {
			if got, want := b.Row(i)[k], found.B(i, k); got != want {
				t.Errorf("B of item %d, topic %d is %v, want %v", i, k, got, want)
			}
		}
	}
}

// stage watches add up, and name what they were told.
func TestStageWatch(t *testing.T) {
	var stages []model.StageTime
	lap := stageWatch(&stages)
	lap("first")
	lap("second")
	if len(stages) != 2 || stages[0].Name != "first" || stages[1].Name != "second" || stages[0].Seconds < 0 || stages[1].CPU < 0 {
		t.Errorf("%+v", stages)
	}
}

// someGroups has vocabularies cut by tf·idf and by document frequency, for two K.
func someGroups() []group {
	var records []Record
	for _, k := range []int{5, 10} {
		for _, method := range []string{"default", "nmf"} {
			for _, cut := range []Run{{MinDF: 2, MaxItems: 100}, {MinDF: 2, MaxItems: 50}, {MinDF: 2}, {MinDF: 9}} {
				r := newRecord(Run{Corpus: "a", MinDF: cut.MinDF, MaxDFRatio: 0.5, MaxItems: cut.MaxItems, Topics: k, Seed: 1, Method: method})
				if r.Items = cut.MaxItems; r.Items == 0 {
					r.Items = 1000 / int(cut.MinDF)
				}
				r.Rankings[0].NPMI = float64(r.Items)
				records = append(records, r)
			}
		}
	}
	return groupRecords(records)
}

func TestCharts(t *testing.T) {
	list := charts("a", someGroups())
	var names []string
	for _, chart := range list {
		names = append(names, chart.name)
	}
	if got := strings.Join(names, " "); got != "growth-a-df2-0.5.svg df-a-0.5.svg" {
		t.Fatalf("charts %s", got)
	}
	growth := list[0].rows
	if len(growth) != 2 || len(growth[0]) != 4 || growth[0][0].Title != "a, K = 5" || growth[1][0].Title != "a, K = 10" || growth[0][1].Title != "" {
		t.Fatalf("%d rows: %+v", len(growth), growth)
	}
	panel := growth[0][0]
	if !slices.Equal(panel.Ticks, []float64{50, 100, 500}) || len(panel.Series) != 2 || panel.Y != "NPMI, λ = 1" {
		t.Errorf("%+v", panel)
	}
	ours, theirs := panel.Series[0], panel.Series[1]
	if ours.Name != "default" || ours.Dashed || theirs.Name != "nmf" || !theirs.Dashed || ours.Style == theirs.Style {
		t.Errorf("%+v, %+v", ours, theirs)
	}
	for i, x := range []float64{50, 100, 500} {
		if ours.Points[i] != (report.Point{X: x, Y: x}) {
			t.Errorf("point %+v, want %v", ours.Points[i], x)
		}
	}
	if few := charts("a", someGroups()[:1]); len(few) != 0 {
		t.Errorf("one vocabulary has the charts %+v", few)
	}
}

// Vocabularies stand from the largest to the smallest.
func TestGroupOrder(t *testing.T) {
	var got []string
	for _, g := range someGroups()[:4] {
		got = append(got, g.run.vocabulary()+" "+g.run.Method)
	}
	want := []string{"df ≥ 2, ≤ 50 % default", "df ≥ 2, ≤ 50 % nmf"}
	if !slices.Equal(got[:2], want) || unlimited(0) != math.MaxInt || unlimited(3) != 3 {
		t.Errorf("groups %q", got)
	}
	if !slices.IsSortedFunc(someGroups(), func(a, b group) int { return int(a.run.MinDF - b.run.MinDF) }) {
		t.Error("groups are not in the order of document frequencies")
	}
}

// README.md and charts of records, written anew from the log alone.
func TestWriteResults(t *testing.T) {
	folder := t.TempDir()
	failed := newRecord(Run{Corpus: "b", MinDF: 1, MaxDFRatio: 1, Topics: 3, Seed: 2, Method: "lda"})
	failed.Failure = "it takes longer than 1m0s"
	var records []Record
	for _, g := range someGroups() {
		records = append(records, g.records...)
	}
	records = append(records, failed)
	for i := range records {
		records[i].Documents = 1
		if err := runLog.Put(folder, &records[i]); err != nil {
			t.Fatal(err)
		}
	}
	read, err := runLog.Read(folder)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeResults(folder, read); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, folder, "README.md", "df-a-0.5.svg", "growth-a-df2-0.5.svg", "runs.csv", "stages.csv")
	benchtest.Results(t, folder)
	readme := benchtest.Text(t, folder, "README.md")
	benchtest.Says(t, "README.md", readme, "go run ./bench topics", "## a\n", "## Runs without topics\n\n- b, df ≥ 1, ≤ 100 %, K = 3, lda, seed 2: it takes longer than 1m0s\n",
		"| nmf | scikit-learn's MiniBatchNMF", "| uniform | with `--normalization uniform` |")
	if strings.Contains(readme, "## b") {
		t.Error("a corpus without topics has a table")
	}
}
