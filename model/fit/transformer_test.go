package fit

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"anchorage/bayes"
	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/transform"
)

// twoSubjects returns documents about two subjects, of different lengths.
func twoSubjects() []corpus.Document {
	var documents []corpus.Document
	for d := range 400 {
		var items []string
		for i := range 6 + d%5 {
			items = append(items, fmt.Sprintf("%c%d", 'a'+d%2, (d/2+i*i)%9))
		}
		if d%7 == 0 {
			items = append(items, fmt.Sprintf("%c%d", 'a'+(d+1)%2, d%9))
		}
		documents = append(documents, corpus.Document{Items: items})
	}
	return documents
}

// TestTransformer infers documents under models of both families, from many goroutines at once.
func TestTransformer(t *testing.T) {
	docs, err := corpus.FromDocuments(t.Context(), twoSubjects(), corpus.Everything())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	anchored, err := Fit(t.Context(), docs, Options{Topics: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	learned, err := Bayes(t.Context(), docs, BayesOptions{Options: bayes.Options{Model: bayes.LDA, Topics: 2, Seed: 2,
		BatchSize: 40}, Plan: bayes.Plan{Batch: true, Iterations: 200}})
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]*model.Model{"fit": anchored.Overview(), "bayes": learned.Loaded()} {
		transformer, err := transform.New(m, infer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var a, b, both transform.DocumentTopics
		transformer.Transform(&a, []string{"a1", "a2", "a3", "a5"}, []int32{3, 2, 2, 3})
		transformer.Transform(&b, []string{"b1", "b2", "b3", "b5"}, []int32{3, 2, 2, 3})
		transformer.Transform(&both, []string{"a1", "a2", "b3", "b5", "c"}, nil)
		if a.Top == b.Top || a.Mixture[a.Top] < 0.85 || b.Mixture[b.Top] < 0.85 {
			t.Errorf("%s: documents about one subject have the mixtures %v and %v", name, a.Mixture, b.Mixture)
		}
		if v := both.Mixture[0]; v < 0.3 || v > 0.7 || both.Known != 4 || both.Unknown != 1 || both.Deviation <= a.Deviation {
			t.Errorf("%s: a document about both is %+v", name, both)
		}
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				var again transform.DocumentTopics
				for range 50 {
					transformer.Transform(&again, []string{"a1", "a2", "b3", "b5", "c"}, nil)
					if !reflect.DeepEqual(again, both) {
						t.Errorf("%s: %+v, want %+v", name, again, both)
						return
					}
				}
			})
		}
		group.Wait()
	}
	if _, err := transform.New(anchored.Overview(), infer.Options{Tolerance: 2}); err == nil {
		t.Error("an unknown method is taken")
	}
}
