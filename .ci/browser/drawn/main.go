// Command drawn writes a model of a million items, without documents, for tests of what shows models: a factor of 20
// topics is drawn, and the topics are found in it as in any other. The first items have names that attack a page that
// shows them.
//
//	drawn -items 1000000 MODEL
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"
	"os"
	"path/filepath"
	"strings"

	"anchorage/corpus"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/sketch"
)

const topics = 20

// hostile are names that a page must show as text. Each tries to set window.attacked.
var hostile = []string{
	`<img src=x onerror="window.attacked=1">`,
	`<script>window.attacked=2</script>`,
	`"><svg onload=window.attacked=3>`,
	`javascript:window.attacked=4`,
	`</title></table><iframe srcdoc="<script>parent.attacked=5</script>">`,
	"\u202egnitirw fo noitcerid\u2066 turned",
	"line one\nline two\x1b[31m",
	"{{constructor.constructor('window.attacked=6')()}}",
	"../../../etc/passwd?x=1#/topics",
	"__proto__",
	strings.Repeat("long ", 2048),
	"مرحبا 你好 👩‍👩‍👧‍👧",
}

// name returns the name of item i.
func name(i int) string {
	if i < len(hostile) {
		return hostile[i]
	}
	return fmt.Sprintf("item %06d", i)
}

func main() {
	items := flag.Int("items", 1_000_000, "items of the model")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: drawn [-items N] MODEL")
	}
	if err := run(context.Background(), *items, flag.Arg(0)); err != nil {
		log.Fatal(err)
	}
}

// run writes a factor beside the model, finds its topics, and removes it again.
func run(ctx context.Context, n int, path string) error {
	factor := filepath.Clean(path) + ".factor"
	defer os.RemoveAll(factor)
	out, err := model.Create(ctx, factor, nil)
	if err != nil {
		return err
	}
	defer out.Abort()
	if err := draw(n).SaveTo(out); err != nil {
		return err
	}
	loaded, err := fit.LoadRectified(ctx, factor, new(fit.Run))
	if err != nil {
		return err
	}
	fitted, err := loaded.Anchor(ctx, fit.Options{Topics: topics})
	if err != nil {
		return err
	}
	return fitted.Save(ctx, path)
}

// draw returns a factor Y = B·√A with a diagonal A. Item i belongs to topic i mod K, is its anchor if i < K plus the
// hostile names, and has a share in one other topic otherwise. Its probability falls as Zipf's law has it.
func draw(n int) *fit.Rectified {
	r := &fit.Rectified{Model: &model.Model{Vocabulary: corpus.NewVocabulary(), Factor: matrix.NewTall(n, topics)}}
	r.Manifest = model.Manifest{Kind: model.KindFactor, Program: model.Version,
		Sketch:  model.SketchRecord{Topics: topics, Passes: 1, ItemWeights: string(fit.WeightsNone)},
		Corpus:  corpus.Account{Documents: int64(n), DocumentsRead: int64(n), Items: n},
		Rectify: &model.RectifyRecord{Method: "none"}}
	weights := make([]float64, n*2) // in the item's own topic, and in the other
	other := make([]int, n)
	var sums [topics]float64
	for i := range n {
		r.Vocabulary.Intern([]byte(name(i)))
		own := i % topics
		other[i] = (own + 1 + int(random.Uniform(1, random.Test, uint64(i), 0)*(topics-1))) % topics
		weight := 1 / math.Pow(float64(i+10), 0.9)
		share := 0.2 + 0.7*random.Uniform(1, random.Test, uint64(i), 1)
		if i >= len(hostile) && i < len(hostile)+topics {
			share = 1
		}
		weights[2*i], weights[2*i+1] = weight*share, weight*(1-share)
		sums[own] += weights[2*i]
		sums[other[i]] += weights[2*i+1]
	}
	total := 0.0
	for _, sum := range sums {
		total += sum
	}
	m := &r.Marginals
	*m = sketch.Marginals{Documents: int64(n), Diagonal: make([]float64, n), RowSums: make([]float64, n),
		DocumentFrequency: make([]int64, n), TermFrequency: make([]int64, n)}
	for i := range n {
		row := r.Factor.Row(i)
		// p(item, topic) is a weight divided by the total, and B·√A is that divided by √p(topic).
		row[i%topics] = weights[2*i] / total / math.Sqrt(sums[i%topics]/total)
		row[other[i]] += weights[2*i+1] / total / math.Sqrt(sums[other[i]]/total)
		p := (weights[2*i] + weights[2*i+1]) / total
		m.RowSums[i] = p * float64(n)
		m.DocumentFrequency[i] = 1 + int64(p*float64(n)*20)
		m.TermFrequency[i] = 1 + int64(p*float64(n)*30)
	}
	r.Manifest.Corpus.VocabularySHA256 = r.Vocabulary.Fingerprint()
	r.Eigen.Values, r.Eigen.Residuals = make([]float64, topics), make([]float64, topics)
	for k := range topics {
		r.Eigen.Values[k] = 1 / float64(k+topics)
	}
	return r
}
