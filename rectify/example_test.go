package rectify_test

import (
	"context"
	"fmt"
	"log"

	"anchorage/corpus"
	"anchorage/rectify"
	"anchorage/sketch"
)

// open returns a corpus about bread, pasta and paint, which must be closed.
func open(ctx context.Context) *corpus.Corpus {
	lists := [][]string{{"flour", "yeast", "salt", "rye", "malt"}, {"pasta", "tomato", "basil", "garlic", "salt"},
		{"canvas", "brush", "easel", "ochre", "varnish"}}
	var documents []corpus.Document
	for d := range 300 {
		list := lists[d%3]
		documents = append(documents, corpus.Document{Items: []string{list[d/3%5], list[(d/3+1)%5], list[(d/3+2+d%2)%5]}})
	}
	docs, err := corpus.FromDocuments(ctx, documents, corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 1})
	if err != nil {
		log.Fatal(err)
	}
	return docs
}

// least returns the least entry of Y·Yᵀ.
func least(result *rectify.Result) float64 {
	y, least := result.Factor, 0.0
	for i := range y.Rows() {
		for j := range y.Rows() {
			sum := 0.0
			for k, v := range y.Row(i) {
				sum += v * y.Row(j)[k]
			}
			least = min(least, sum)
		}
	}
	return least
}

// ENN needs a factor of the leading eigenpairs, and nothing of size N².
func ExampleENN() {
	ctx := context.Background()
	docs := open(ctx)
	defer docs.Close()
	opts := sketch.Options{Columns: 12, Seed: 1}
	s, err := sketch.Accumulate(ctx, docs.Pass, docs.Vocabulary, opts)
	if err != nil {
		log.Fatal(err)
	}
	p := s.Marginals.Probabilities()
	eigen, err := s.Krylov(ctx, docs.Pass, 3, opts)
	if err != nil {
		log.Fatal(err)
	}
	result, err := rectify.ENN(ctx, eigen.Factor(0), rectify.Options{Marginals: p, Seed: 1, Key: docs.Vocabulary.Key})
	if err != nil {
		log.Fatal(err)
	}
	rows, cols := result.Factor.Dims()
	fmt.Printf("%d×%d after %d products; all entries of Y·Yᵀ are above -0.001: %t\n", rows, cols, result.Products,
		least(result) > -1e-3)
	// Output: 14×3 after 5 products; all entries of Y·Yᵀ are above -0.001: true
}

// Products with C can be computed by passes over the documents: Eigen finds accurate eigenpairs by them, and PALM a
// factor without any negative entry.
func ExamplePALM() {
	ctx := context.Background()
	docs := open(ctx)
	defer docs.Close()
	s, err := sketch.Accumulate(ctx, docs.Pass, docs.Vocabulary, sketch.Options{Columns: 1})
	if err != nil {
		log.Fatal(err)
	}
	c := sketch.Operator{Pass: docs.Pass, Marginals: &s.Marginals}
	eigen, err := rectify.Eigen(ctx, c.Multiply, docs.Vocabulary.Len(), 3, rectify.Options{Key: docs.Vocabulary.Key})
	if err != nil {
		log.Fatal(err)
	}
	result, err := rectify.PALM(ctx, eigen.Factor(0), rectify.Options{Multiply: c.Multiply, Iterations: 30})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(result.Iterations), "iterations; least entry", least(result))
	// Output: 30 iterations; least entry 0
}

// Where C is small enough to be held, AP rectifies it in place.
func ExampleAP() {
	ctx := context.Background()
	docs := open(ctx)
	defer docs.Close()
	c, _, err := sketch.Dense(ctx, docs.Pass, docs.Vocabulary.Len(), nil, 0, 0, 0)
	if err != nil {
		log.Fatal(err)
	}
	result, err := rectify.AP(ctx, c, 3, rectify.Options{})
	if err != nil {
		log.Fatal(err)
	}
	sum := 0.0
	for i := range result.Matrix.Rows() {
		for _, v := range result.Matrix.Row(i) {
			sum += v
		}
	}
	fmt.Printf("converged %t, sum %.6f\n", result.Converged, sum)
	// Output:
	// converged true, sum 1.000000
}
