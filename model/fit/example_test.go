package fit_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/transform"
	"anchorage/shard"
	"anchorage/stream"
)

// recipes returns documents of seven words each, about three subjects.
func recipes() []corpus.Document {
	kinds := []string{
		"flour yeast water salt oven crust dough rye loaf",
		"tomato basil garlic onion pasta oil cheese pepper oregano",
		"sugar butter egg vanilla cream cocoa berry honey lemon",
	}
	var documents []corpus.Document
	for i := range 600 {
		words := strings.Fields(kinds[i%3])
		var items []string
		for j := range 7 {
			items = append(items, words[(i/3*5+j*j)%len(words)])
		}
		if i%5 == 0 { // some are about two things
			items = append(items, strings.Fields(kinds[(i+1)%3])[i/5%9], strings.Fields(kinds[(i+1)%3])[i/7%9])
		}
		documents = append(documents, corpus.Document{Items: items})
	}
	return documents
}

// A model of documents in memory, saved and loaded again.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "anchorage")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)

	docs, err := corpus.FromDocuments(ctx, recipes(), corpus.Options{Pruning: corpus.Pruning{MinDF: 5, MaxDFRatio: 1},
		MinItems: 1, MinTokens: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 3, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(folder, "recipes")
	if err := fitted.Save(ctx, path); err != nil {
		log.Fatal(err)
	}

	loaded, err := model.Load(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	var topics []string
	for _, prominent := range loaded.Prominent {
		names := loaded.Names(prominent[:9])
		slices.Sort(names)
		topics = append(topics, strings.Join(names, " "))
	}
	slices.Sort(topics)
	fmt.Println(strings.Join(topics, "\n"))
	// Output:
	// basil cheese garlic oil onion oregano pasta pepper tomato
	// berry butter cocoa cream egg honey lemon sugar vanilla
	// crust dough flour loaf oven rye salt water yeast
}

// A model of shards, as in the README. The example has no output comment, so it is compiled but not run.
func Example_shards() {
	ctx := context.Background()
	shards, err := shard.Discover(ctx, []string{"testdata/wiki"}, shard.Options{})
	if err != nil {
		log.Fatal(err)
	}
	docs, err := stream.Open(ctx, shards, corpus.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 20, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	m := fitted.Loaded() // anchors, mixtures, and items of each topic; fitted.Save and model.Load keep it
	for k, prominent := range m.Prominent {
		fmt.Println(m.Vocabulary.ID(m.Anchors[k]), m.Names(prominent[:8]))
	}
}

// The stages of a fit, one by one. Each result can be saved, and loaded on another machine.
func ExampleSketch() {
	ctx := context.Background()
	docs, err := corpus.FromDocuments(ctx, recipes(), corpus.Everything())
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	options := fit.Options{Topics: 3, Seed: 1}
	sketched, err := fit.Sketch(ctx, docs, options)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(sketched.Eigen.Values), "eigenpairs of", sketched.Vocabulary.Len(), "items")
	rectified, err := sketched.Rectify(ctx, options)
	if err != nil {
		log.Fatal(err)
	}
	fitted, err := rectified.Anchor(ctx, options)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(fitted.Topics.Anchors), "anchors")
	// Output:
	// 3 eigenpairs of 27 items
	// 3 anchors
}

// The topics of documents that a model has not seen.
func Example_documents() {
	ctx := context.Background()
	docs, err := corpus.FromDocuments(ctx, recipes(), corpus.Options{Pruning: corpus.Pruning{MinDF: 5, MaxDFRatio: 1},
		MinItems: 1, MinTokens: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 3, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	m := fitted.Loaded() // or a loaded one
	transformer, err := transform.New(m, infer.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var topics transform.DocumentTopics // its memory serves one document after the other
	for _, document := range [][]string{{"flour", "yeast", "salt", "tomato", "basil"}, {"cocoa"}, {"caviar"}} {
		transformer.Transform(&topics, document, nil)
		low, high := infer.Interval(float64(topics.Mixture[topics.Top]), topics.Deviation, 0.9)
		fmt.Printf("%d known and %d unknown items, the top topic has %.0f %% (%.0f to %.0f)\n",
			topics.Known, topics.Unknown, 100*topics.Mixture[topics.Top], 100*low, 100*high)
	}
	// Output:
	// 5 known and 0 unknown items, the top topic has 63 % (26 to 93)
	// 1 known and 0 unknown items, the top topic has 93 % (76 to 100)
	// 0 known and 1 unknown items, the top topic has 34 % (0 to 100)
}

// What a model knows of an item, and the items that are most like it.
func ExampleModel_Similar() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "anchorage")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	docs, err := corpus.FromDocuments(ctx, recipes(), corpus.Everything())
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 3, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(folder, "recipes")
	if err := fitted.Save(ctx, path); err != nil {
		log.Fatal(err)
	}

	m, err := model.Load(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	item, err := m.Item(context.Background(), "basil")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d documents, uncertain: %v\n", item.ID, item.Documents, item.Uncertain)
	similar, err := m.Similar(ctx, "basil", 8)
	if err != nil {
		log.Fatal(err)
	}
	var names []string
	for _, n := range similar {
		names = append(names, n.ID)
	}
	slices.Sort(names)
	fmt.Println(strings.Join(names, " "))
	_, err = m.Similar(ctx, "basill", 8)
	fmt.Println(err)
	// Output:
	// basil: 93 documents, uncertain: false
	// cheese garlic oil onion oregano pasta pepper tomato
	// the model has no item "basill": did you mean "basil"?
}

// What completes a basket: by the pairs that were counted, and by topics where there are none.
func ExampleModel_With() {
	ctx := context.Background()
	docs, err := corpus.FromDocuments(ctx, recipes(), corpus.Everything())
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 3, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	m := fitted.Loaded() // or one of model.Load
	guessed, err := m.With(ctx, []string{"flour", "yeast"}, 3, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(guessed), "items by topics only, the first in", guessed[0].Together,
		"counted documents with flour or yeast")

	if fitted.Recommendation, err = fit.Learn(ctx, fitted.Model, docs, fit.RecommendOptions{}); err != nil {
		log.Fatal(err)
	}
	m = fitted.Loaded() // fitted.Save stores the pairs, too
	found, err := m.With(ctx, []string{"flour", "yeast"}, 3, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range found {
		fmt.Printf("%s: probability %.2f, lift %.1f, %d documents with flour or yeast\n", c.ID, c.Probability,
			c.Lift, c.Together)
	}
	// Output:
	// 3 items by topics only, the first in 0 counted documents with flour or yeast
	// salt: probability 0.43, lift 2.8, 91 documents with flour or yeast
	// oven: probability 0.43, lift 2.5, 96 documents with flour or yeast
	// dough: probability 0.43, lift 2.7, 89 documents with flour or yeast
}

// Two levels from one sketch, and which topics of the coarser one each topic belongs to.
func ExampleModel_Level() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "anchorage")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)

	docs, err := corpus.FromDocuments(ctx, recipes(), corpus.Options{Pruning: corpus.Pruning{MinDF: 5, MaxDFRatio: 1},
		MinItems: 1, MinTokens: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer docs.Close()
	path := filepath.Join(folder, "recipes")
	out, err := model.Create(ctx, path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer out.Abort()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 3, Levels: []int{2}, Extras: fit.Extras{Output: out}, Seed: 1})
	if err != nil {
		log.Fatal(err)
	}
	if err := fitted.SaveTo(out); err != nil {
		log.Fatal(err)
	}

	m, err := model.Load(ctx, path)
	if err != nil {
		log.Fatal(err)
	}
	finest := m.Levels[len(m.Levels)-1]
	coarse, err := m.Level(ctx, finest.Parents())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(finest.Topics, "topics, below", coarse.Topics())
	for topic := range m.Topics() {
		if parent, share := finest.Parent(topic); share < 0.5 || parent >= coarse.Topics() {
			fmt.Println("topic", topic, "has no parent")
		}
	}
	// Output: 3 topics, below 2
}
