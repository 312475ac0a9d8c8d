// Package certificate holds the errors that certificates predict against known ones: of drawn corpora those of the
// topics that they were drawn from; of real ones, and where other numbers of topics are learned than there are, the
// distance of two fits, each of half of the documents.
package certificate

import (
	"context"
	_ "embed"
	"errors"
	"math"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"

	"anchorage/bayes/refine"
	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/corpus"
	"anchorage/internal/assignment"
	"anchorage/internal/process"
	"anchorage/internal/random"
	"anchorage/internal/synth"
	"anchorage/model"
	"anchorage/model/fit"
)

//go:embed page.md
var page string

// Part measures whether certificates are right.
var Part = &run.Part{
	Name: "certificate", Title: "Whether certificates are right",
	About: "Measure whether the errors that certificates predict are those of the topics",
	Settings: []run.Setting{
		{Name: "corpus", Default: documents.Drawn, Help: "drawn, or folders of the data"},
		{Name: "family", Default: "plain,mixed,correlated,lengths,flat,uneven,tree,long,steep,double,none,many," +
			"large,half,triple,blank", Help: "kinds of drawn corpora; those from many on saw no tuning"},
		{Name: "corpora", Default: "15", Help: "corpora of each kind"},
		{Name: "seed", Default: "1", Help: "seed of the first corpus of a kind; the others follow it"},
		{Name: "topics", Default: "20,50", Help: "topics of real corpora"},
		{Name: "data", Default: "data", Help: "folder with a folder of shards per real corpus", How: true},
	},
	Keys:  []string{"corpus", "family", "seed", "topics"},
	Cells: cells,
	Measure: func(ctx context.Context, j *run.Job) error {
		if j.Text("corpus") != documents.Drawn {
			return measureReal(ctx, j)
		}
		return measureDrawn(ctx, j)
	},
	Page: page,
}

// tuned are the kinds of corpora on which the constants of refine.Topics were chosen, from other seeds.
var tuned = []string{"plain", "mixed", "correlated", "lengths", "flat", "uneven", "tree", "long", "steep", "double",
	"none"}

// mistaken are the families of which other numbers of topics are learned than there are, in multiples of them. Where
// all documents have the same mixture, there are none.
var mistaken = map[string]float64{"double": 2, "none": 1, "half": 0.5, "triple": 3, "blank": 1}

// oneMixture is a concentration with which all documents have the same mixture of topics.
const oneMixture = 1e6

// families change a corpus to one of their kind.
var families = map[string]func(*synth.Model, *draws){
	"plain": func(*synth.Model, *draws) {},
	"mixed": func(m *synth.Model, r *draws) {
		m.AnchorStrength, m.Spread = pick(r, 0.5, 0.8), pick(r, 1., 3)
	},
	"correlated": func(m *synth.Model, r *draws) {
		m.Logistic = &synth.LogisticNormal{Deviation: pick(r, 1., 2), Blocks: m.Topics/4 + 1, Correlation: pick(r, 0.3, 0.7)}
	},
	"lengths": func(m *synth.Model, r *draws) { m.Length, m.Deviation, m.Exponent = synth.LogNormal, 1, 1.2 },
	"flat": func(m *synth.Model, r *draws) {
		m.Concentration, m.Anchors, m.Exponent = pick(r, 0.05, 0.3), 3, 0.8
	},
	"uneven": func(m *synth.Model, r *draws) {
		for range m.Topics {
			m.Alpha = append(m.Alpha, 0.1*math.Exp(r.normal()))
		}
	},
	"tree": func(m *synth.Model, r *draws) {
		m.Tree, m.Concentration = pick(r, []int{2, 3}, []int{3, 4}, []int{4, 5}), pick(r, 0.1, 0.3)
		m.Topics = m.Tree[0] * m.Tree[1]
	},
	"long": func(m *synth.Model, r *draws) {
		m.Length, m.Tokens, m.Documents, m.Spread = synth.Fixed, pick(r, 200, 400), pick(r, 300, 600, 1200), 5
	},
	"steep": func(m *synth.Model, r *draws) {
		m.Exponent, m.Offset, m.AnchorStrength = 1.6, 30, pick(r, 0.7, 1.)
	},
	"large": func(m *synth.Model, r *draws) {
		m.Topics, m.Items, m.Documents = pick(r, 20, 50), pick(r, 2000, 6000), pick(r, 20000, 50000, 100000)
		m.Tokens, m.AnchorStrength = pick(r, 10, 20), pick(r, 0.7, 1.)
	},
	"double": func(*synth.Model, *draws) {},
	"none":   func(m *synth.Model, _ *draws) { m.Concentration = oneMixture },
	"half":   func(m *synth.Model, r *draws) { m.AnchorStrength, m.Spread = pick(r, 0.5, 0.8), pick(r, 1., 3) },
	"triple": func(m *synth.Model, r *draws) {
		m.Topics, m.Length, m.Deviation, m.Exponent = pick(r, 3, 6, 12), synth.LogNormal, 1, 1.2
	},
	"blank": func(m *synth.Model, r *draws) {
		m.Concentration, m.Exponent, m.Offset, m.Documents = oneMixture, 1.6, 30, pick(r, 300, 2000, 20000)
	},
	"many": func(m *synth.Model, r *draws) {
		m.Topics, m.Items, m.Documents = pick(r, 50, 80), pick(r, 1500, 3000), pick(r, 4000, 12000)
	},
}

// draws are random numbers of one corpus.
type draws struct{ seed, family, count uint64 }

func (d *draws) next() uint64 { d.count++; return d.count }

func (d *draws) normal() float64 {
	return random.Normal(d.seed, random.CertifiedCorpus, d.family, d.next())
}

func pick[T any](d *draws, values ...T) T {
	u := random.Uniform(d.seed, random.CertifiedCorpus, d.family, d.next())
	return values[int(u*float64(len(values)))]
}

func cells(v *run.Values) (cells []run.Values, err error) {
	for _, c := range v.Product("corpus=corpus") {
		if c["corpus"] != documents.Drawn {
			cells = append(cells, c.With("family", "", "seed", "").Product("topics=topics")...)
			continue
		}
		for _, c := range c.Product("family=family") {
			if families[c.Text("family")] == nil {
				err = errors.Join(err, errors.New("there is no family "+c.Text("family")))
				continue
			}
			for at := range v.Int("corpora") {
				c := c.With("seed", v.Seed("seed")+uint64(at), "topics", "")
				cells = append(cells, c)
				m := modelOf(c)
				err = errors.Join(err, m.Check())
			}
		}
	}
	return cells, err
}

// modelOf returns what a corpus is drawn from.
func modelOf(v run.Values) synth.Model {
	family := v.Text("family")
	r := &draws{v.Seed("seed"), uint64(len(family))<<8 + uint64(family[0]), 0}
	m := synth.Model{Items: pick(r, 300, 600, 1200, 2500), Topics: pick(r, 5, 8, 12, 20, 35),
		Documents: pick(r, 500, 1000, 2000, 4000, 8000), Tokens: pick(r, 15, 30, 60, 120),
		Seed: random.At(r.seed, random.CertifiedCorpus, r.family, 0)}
	families[family](&m, r)
	return m
}

// measureDrawn draws twice the documents of a corpus, fits each half of them, and compares what the certificate of the
// first predicts with the errors of its topics.
func measureDrawn(ctx context.Context, j *run.Job) (err error) {
	m, family := modelOf(j.Values), j.Text("family")
	m.Workers = j.Workers
	of, twice := m.Plant(), m
	twice.Documents *= 2
	docs, err := documents.OpenDrawn(ctx, twice.Plant(), "", j.Workers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	k := m.Topics
	if mistaken[family] > 0 {
		k = max(int(mistaken[family]*float64(m.Topics)), 2)
	}
	var halves [2]*model.Model
	for half := range halves {
		if halves[half], _, err = learnHalf(ctx, docs, half, k, half == 1, j.Workers); err != nil {
			return err
		}
	}
	c, known, again := halves[0].Manifest.Certificate, make([]float64, k), 0
	if c.Errors == nil {
		return errors.New("the certificate has no errors")
	}
	if mistaken[family] > 0 { // each half is as far from what many other documents would give
		pairs, unmatched := match(halves[0], halves[1])
		for _, pair := range pairs {
			if known[pair.left] = pair.distance / math.Sqrt2; foundAgain(pair.distance, unmatched) {
				again++
			}
		}
	} else {
		oracle, err := of.Oracle(ctx)
		if err != nil {
			return err
		}
		// the errors of the topics that were drawn from, by either half
		first, matched, err := errorsOf(of.Truth, halves[0])
		if err != nil {
			return err
		}
		second, place, err := errorsOf(of.Truth, halves[1])
		if err != nil {
			return err
		}
		twin := make([]float64, k)
		for topic, e := range first {
			if known[topic] = e; e <= 1 {
				again++
			}
			twin[topic] = second[slices.Index(place, matched[topic])]
		}
		j.Row("floor", of.Truth.Recover(oracle.Estimate()).ErrorB, "within_twin", show.Spearman(twin, known))
	}
	covered := 0
	for topic, e := range known {
		if low, high := interval(c.Errors[topic]); low <= e && e <= high {
			covered++
		}
	}
	predicted := stat.Mean(c.Errors, nil)
	low, high := interval(predicted)
	j.Row("items", m.Items, "k", k, "there", m.Topics, "documents", m.Documents, "tokens", m.Tokens, "tuned",
		slices.Contains(tuned, family), "error", stat.Mean(known, nil), "predicted", predicted, "low", low, "high", high,
		"again", float64(again)/float64(k), "again_predicted", 1-float64(len(c.Lost))/float64(k), "covered",
		float64(covered)/float64(k), "within", show.Spearman(c.Errors, known), "within_shares",
		-show.Spearman(halves[0].Shares, known))
	return nil
}

// nearUnmatched is the distance from which a topic is not found again, in parts of the mean distance of topics of both
// fits that are not matched.
const nearUnmatched = 0.85

// foundAgain reports whether a topic of one fit is found again in another, given their distance and the mean distance
// of topics that are not matched.
func foundAgain(distance, unmatched float64) bool {
	return distance <= math.Sqrt2 && distance <= nearUnmatched*unmatched
}

// learnHalf fits topics to half of the documents, and returns the processor time too.
func learnHalf(ctx context.Context, docs *corpus.Corpus, half, topics int, without bool,
	workers int) (*model.Model, float64, error) {
	part := docs.Part(func(document int64) bool { return document%2 == int64(half) })
	o := fit.Options{Topics: topics, Seed: 1, Run: &fit.Run{Workers: workers}}
	o.NoCertificate = without
	began := process.CPUSeconds()
	fitted, err := fit.Fit(ctx, part, o)
	if err != nil {
		return nil, 0, err
	}
	return fitted.Loaded(), process.CPUSeconds() - began, nil
}

// pair is a topic of each of two models, and their ℓ1 distance.
type pair struct {
	left, right int
	distance    float64
}

// match pairs the topics of two models of the same items, and returns the mean distance of all topics of one from all
// of the other too.
func match(a, b *model.Model) (pairs []pair, mean float64) {
	k := a.Topics()
	cost := make([]float64, k*k)
	for i := range a.Items.Rows() {
		x, y := a.Items.Row(i), b.Items.Row(i)
		for at := range cost {
			cost[at] += math.Abs(x[at/k] - y[at%k])
		}
	}
	for l, r := range assignment.Least(cost, k) {
		pairs = append(pairs, pair{l, r, cost[l*k+r]})
	}
	return pairs, stat.Mean(cost, nil)
}

// errorsOf returns the ℓ1 error of each topic, and the number of the true one.
func errorsOf(truth *synth.Truth, m *model.Model) (known []float64, matched []int, err error) {
	items, err := synth.ItemsOf(m.Vocabulary)
	if err != nil {
		return nil, nil, err
	}
	estimate := synth.Estimate{Items: items, Row: m.ItemRow, Correlations: m.TopicJoint, Anchors: m.Anchors}
	matched = truth.Recover(estimate).Matched
	known = make([]float64, m.Topics())
	seen := make([]bool, truth.Items)
	found, right := make([]float64, m.Topics()), make([]float64, m.Topics())
	add := func(item int) {
		truth.CopyRow(right, item)
		for k := range known {
			known[k] += math.Abs(found[k] - right[matched[k]])
		}
	}
	for at, item := range items {
		m.ItemRow(found, at)
		seen[item] = true
		add(int(item))
	}
	clear(found)
	for item, ever := range seen {
		if !ever {
			add(item)
		}
	}
	return known, matched, nil
}

// measureReal fits each half of the documents of a corpus, and compares the distance of their topics with the errors
// that are predicted.
func measureReal(ctx context.Context, j *run.Job) (err error) {
	docs, err := documents.Open(ctx, filepath.Join(j.Text("data"), j.Text("corpus")), corpus.Options{Workers: j.Workers})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	var halves [2]*model.Model
	var seconds, without float64
	for half := range halves {
		var took float64
		if halves[half], took, err = learnHalf(ctx, docs, half, j.Int("topics"), false, j.Workers); err != nil {
			return err
		}
		seconds += took
		if _, took, err = learnHalf(ctx, docs, half, j.Int("topics"), true, j.Workers); err != nil {
			return err
		}
		without += took
	}
	a, b := halves[0], halves[1]
	pairs, unmatched := match(a, b)
	var distances, predicted, shares []float64
	again := 0.0
	for _, p := range pairs {
		if foundAgain(p.distance, unmatched) {
			again += 1 / float64(len(pairs))
		}
		distances = append(distances, p.distance)
		predicted = append(predicted, min(math.Hypot(a.Manifest.Certificate.Errors[p.left],
			b.Manifest.Certificate.Errors[p.right]), 2))
		shares = append(shares, -a.Shares[p.left]-b.Shares[p.right])
	}
	j.Row("documents", a.Manifest.Corpus.Documents, "items", a.Manifest.Corpus.Items, "for", a.Manifest.Refine.For,
		"error", stat.Mean(distances, nil), "predicted", stat.Mean(predicted, nil), "again", again,
		"again_predicted", 1-float64(len(a.Manifest.Certificate.Lost))/float64(len(pairs)), "within",
		show.Spearman(predicted, distances), "within_shares", show.Spearman(shares, distances), "cpu_seconds", seconds,
		"cpu_without", without)
	return nil
}

// interval returns the ends of the interval of an error that is predicted.
func interval(e float64) (low, high float64) {
	return refine.LeastError * e, min(refine.MostError*e, 2)
}
