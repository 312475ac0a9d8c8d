package sketch_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"anchorage/corpus"
	"anchorage/sketch"
)

// recipes returns documents about bread and about pasta.
func recipes(first, last int) []corpus.Document {
	lists := [][]string{{"flour", "yeast", "salt", "rye", "malt"}, {"pasta", "tomato", "basil", "garlic", "salt"}}
	var documents []corpus.Document
	for d := first; d < last; d++ {
		list := lists[d%2]
		documents = append(documents, corpus.Document{Items: []string{list[d/2%5], list[(d/2+1)%5], list[(d/2+2+d/2%2)%5]}})
	}
	return documents
}

// open returns a corpus of all items of some documents, which must be closed.
func open(ctx context.Context, documents []corpus.Document, vocabulary *corpus.Vocabulary) *corpus.Corpus {
	docs, err := corpus.FromDocuments(ctx, documents, corpus.Options{NoPrune: true, Vocabulary: vocabulary,
		MinItems: 1, MinTokens: 1})
	if err != nil {
		log.Fatal(err)
	}
	return docs
}

// A few passes over documents in memory find the leading eigenpairs of their co-occurrences, and the factor Y with Y·Yᵀ
// ≈ C.
func Example() {
	ctx := context.Background()
	docs := open(ctx, recipes(0, 200), nil)
	defer docs.Close()
	opts := sketch.Options{Columns: 8, Seed: 1}
	s, err := sketch.Accumulate(ctx, docs.Pass, docs.Vocabulary, opts)
	if err != nil {
		log.Fatal(err)
	}
	eigen, err := s.Krylov(ctx, docs.Pass, 2, opts)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("eigenvalues %.3f of %d items\n", eigen.Values, docs.Vocabulary.Len())
	y := eigen.Factor(0)
	flour, _ := docs.Vocabulary.Lookup([]byte("flour"))
	yeast, _ := docs.Vocabulary.Lookup([]byte("yeast"))
	pasta, _ := docs.Vocabulary.Lookup([]byte("pasta"))
	product := func(i, j int32) (sum float64) {
		for k, v := range y.Row(int(i)) {
			sum += v * y.Row(int(j))[k]
		}
		return sum
	}
	fmt.Println("flour goes with yeast rather than with pasta:", product(flour, yeast) > 5*product(flour, pasta))
	// Output:
	// eigenvalues [0.118 0.075] of 9 items
	// flour goes with yeast rather than with pasta: true
}

// One pass gives less accurate eigenpairs, and estimates of how accurate they are. The sketch needs 2K columns or more.
func ExampleStreamed_Eigen() {
	ctx := context.Background()
	docs := open(ctx, recipes(0, 200), nil)
	defer docs.Close()
	s, err := sketch.Stream(ctx, docs.Pass, docs.Vocabulary, sketch.StreamOptions{Columns: 18, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	eigen, err := s.Eigen(ctx, 2, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d pass, estimated %t, %d×%d\n", eigen.Passes, eigen.Estimated, eigen.Vectors.Rows(), eigen.Vectors.Cols())
	// Output: 1 pass, estimated true, 9×2
}

// Sketches of disjoint documents add up, if they were made with the same vocabulary, seed and number of columns.
func ExampleStreamed_Merge() {
	ctx := context.Background()
	all := open(ctx, recipes(0, 200), nil)
	defer all.Close()
	sketchOf := func(first, last int, seed uint64) *sketch.Streamed {
		docs := open(ctx, recipes(first, last), all.Vocabulary)
		defer docs.Close()
		s, err := sketch.Stream(ctx, docs.Pass, docs.Vocabulary, sketch.StreamOptions{Columns: 8, Seed: seed})
		if err != nil {
			log.Fatal(err)
		}
		return s
	}
	sum := sketchOf(0, 120, 1)
	if err := sum.Merge(sketchOf(120, 200, 1)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Marginals.Documents, "documents")
	var refused *sketch.MergeError
	if err := sum.Merge(sketchOf(0, 10, 2)); errors.As(err, &refused) {
		fmt.Println(refused)
	}
	// Output:
	// 200 documents
	// the sketches have different seeds, 1 and 2
}

// MeasureEvidence says on how many documents the row of each item rests.
func ExampleMeasureEvidence() {
	ctx := context.Background()
	docs := open(ctx, append(recipes(0, 200), corpus.Document{Items: []string{"saffron", "garlic"}}), nil)
	defer docs.Close()
	opts := sketch.Options{Columns: 10, Seed: 1}
	s, err := sketch.Accumulate(ctx, docs.Pass, docs.Vocabulary, opts)
	if err != nil {
		log.Fatal(err)
	}
	marginals := s.Marginals
	eigen, err := s.Krylov(ctx, docs.Pass, 2, opts)
	if err != nil {
		log.Fatal(err)
	}
	evidence, err := sketch.MeasureEvidence(ctx, docs.Pass, &marginals, eigen, sketch.EvidenceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	for _, id := range []string{"garlic", "saffron"} {
		item, _ := docs.Vocabulary.Lookup([]byte(id))
		fmt.Printf("%s: %.0f\n", id, evidence.EffectiveSampleSize[item])
	}
	// Output:
	// garlic: 61
	// saffron: 1
}
