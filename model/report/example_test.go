package report_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"anchorage/corpus"
	"anchorage/model/fit"
	"anchorage/model/report"
)

// A model that was just fitted, as a page of HTML.
func ExampleWrite() {
	ctx := context.Background()
	kinds := []string{"flour yeast water salt oven crust dough rye loaf",
		"tomato basil garlic onion pasta oil cheese pepper oregano",
		"sugar butter egg vanilla cream cocoa berry honey lemon"}
	var documents []corpus.Document
	for i := range 600 {
		words := strings.Fields(kinds[i%3])
		document := corpus.Document{}
		for j := range 7 {
			document.Items = append(document.Items, words[(i/3+j*j)%len(words)])
		}
		documents = append(documents, document)
	}
	docs, err := corpus.FromDocuments(ctx, documents, corpus.Everything())
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 3, Seed: 1, Extras: fit.Extras{Diagnose: true}})
	if err != nil {
		log.Fatal(err)
	}
	var page bytes.Buffer
	if err := report.Write(ctx, &page, fitted.Overview(), report.Options{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Count(page.String(), `<details class="card `), "cards, below 3 MB:", page.Len() < report.MostBytes)
	// Output: 3 cards, below 3 MB: true
}
