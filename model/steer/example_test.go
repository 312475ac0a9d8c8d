package steer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"anchorage/corpus"
	"anchorage/model/fit"
	"anchorage/model/steer"
)

// Topics of a model are merged and named, and the last step is taken back.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "anchorage")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "recipes")
	if err := learn(ctx, path); err != nil {
		log.Fatal(err)
	}

	session, err := steer.Open(ctx, path, nil)
	if err != nil {
		log.Fatal(err)
	}
	script, err := steer.Parse(strings.NewReader("name 0 First\nmerge 0 2\nban item flour  # it is everywhere"))
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range script {
		if err := session.Apply(ctx, step); err != nil {
			log.Fatal(err)
		}
	}
	m := session.Model()
	fmt.Println(m.Topics(), "topics:", m.TopicName(0), "and", m.TopicName(1))
	if err := session.Undo(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Print(session.Script())
	if err := session.Save(ctx, filepath.Join(folder, "better")); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 topics: First and salt · crust · dough
	// name 0 First
	// merge 0 2
}

// learn saves a model of three topics.
func learn(ctx context.Context, path string) error {
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
	docs, err := corpus.FromDocuments(ctx, documents, corpus.Options{Pruning: corpus.Pruning{MinDF: 5, MaxDFRatio: 1},
		MinItems: 1, MinTokens: 1})
	if err != nil {
		return err
	}
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: 3, Seed: 1})
	if err != nil {
		return err
	}
	return fitted.Save(ctx, path)
}
