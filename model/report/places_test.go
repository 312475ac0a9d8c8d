package report_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/itemmap"
	"anchorage/model/report"
)

// TestPlaces wants the map of all items on the page of a model that has one, and no page with the map of another.
func TestPlaces(t *testing.T) {
	kinds := []string{"flour yeast water salt oven crust dough rye loaf", "tomato basil garlic onion pasta oil cheese pepper " +
		"oregano", "sugar butter egg vanilla cream cocoa berry honey lemon"}
	var documents []corpus.Document
	for i := range 600 {
		words := strings.Fields(kinds[i%3])
		document := corpus.Document{}
		for j := range 7 {
			document.Items = append(document.Items, words[(i/3+j*j)%len(words)])
		}
		documents = append(documents, document)
	}
	docs, err := corpus.FromDocuments(t.Context(), documents, corpus.Everything())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(t.Context(), docs, fit.Options{Topics: 3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model")
	if err := fitted.Save(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	m, err := model.Load(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	written := func() (string, error) {
		var b bytes.Buffer
		err := report.Write(t.Context(), &b, m, report.Options{})
		return b.String(), err
	}
	if text, err := written(); err != nil || strings.Contains(text, `id="all-items"`) {
		t.Fatalf("a model without a map has a page with one: %v", err)
	}
	drawn, err := itemmap.Draw(t.Context(), m, itemmap.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := drawn.Save(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	text, err := written()
	if err != nil || !strings.Contains(text, `id="all-items"`) || !strings.Contains(text, "27 of 27 items") {
		t.Errorf("the page has no map of 27 items: %v", err)
	}
	if err := os.WriteFile(filepath.Join(path, itemmap.File), []byte("PAR1"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := written(); err == nil {
		t.Error("a damaged map is passed over")
	}
}
