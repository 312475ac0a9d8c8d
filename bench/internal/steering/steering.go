// This file draws factors, finds their topics, and times steps on them.

package steering

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/gonum/mat"

	"anchorage/bench/internal/report"
	"anchorage/internal/synth"
	"anchorage/matrix"
	"anchorage/model"
	"anchorage/model/steer"
	"anchorage/sketch"
)

// Options say what is measured.
type Options struct {
	Topics  int
	PerItem float64 // documents per item
	Tokens  int     // of a document, on average
	Runs    int     // of every step
	Seed    uint64
	Workers int
	Log     *slog.Logger
}

// Record is what a step took: medians over the runs.
type Record struct {
	Model                string // a number of items, or a folder
	Items                int
	Step                 string
	Wall, CPU            float64 // seconds
	Solved               int     // rows that were solved again
	Touched              int     // topics that the step is about
	MeanOthers, MaxOther float64 // distances of the topics that it is not about
}

// Drawn measures the steps on a model of a drawn factor with so many items.
func (o *Options) Drawn(ctx context.Context, items int) ([]Record, error) {
	scratch, remove, err := report.Scratch("")
	if err != nil {
		return nil, err
	}
	records, err := o.drawn(ctx, items, filepath.Join(scratch, "model"))
	if removal := remove(); err == nil {
		err = removal
	}
	return records, err
}

func (o *Options) drawn(ctx context.Context, items int, path string) ([]Record, error) {
	m := synth.Model{Items: items, Topics: o.Topics, Documents: 1, AnchorStrength: 0.9, Seed: o.Seed, Workers: o.Workers}
	r, err := o.factor(m.Plant())
	if err != nil {
		return nil, err
	}
	fitted, err := r.Anchor(ctx, model.Options{Topics: o.Topics, Run: &model.Run{Workers: o.Workers, Log: o.Log}})
	if err != nil {
		return nil, err
	}
	if err := fitted.Save(ctx, path); err != nil {
		return nil, err
	}
	return o.Model(ctx, path, strconv.Itoa(items))
}

// factor returns B·L with L·Lᵀ = A for the truth, a factor of B·A·Bᵀ, with noise as items have it that occur PerItem·p_i·N·Tokens times.
func (o *Options) factor(drawn *synth.Drawn) (*model.Rectified, error) {
	truth := drawn.Truth
	n, k := truth.Items, truth.Topics
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(k, slices.Clone(truth.Correlations))) {
		return nil, errors.New("the joint probabilities of the drawn topics are singular")
	}
	var l mat.TriDense
	chol.LTo(&l)
	tokens := o.PerItem * float64(n) * float64(o.Tokens)
	y, p := matrix.NewTall(n, k), truth.Probabilities
	v := drawn.Vocabulary()
	marginals := sketch.Marginals{Documents: int64(o.PerItem * float64(n)), RowSums: make([]float64, n), Diagonal: make([]float64, n)}
	for i := range n {
		row := y.Row(i)
		topics, values := truth.Row(i)
		for at, topic := range topics {
			for j := range int(topic) + 1 {
				row[j] += values[at] * l.At(int(topic), j)
			}
		}
		length := 0.0
		for _, value := range row {
			length += value * value
		}
		df := max(math.Round(p[i]*tokens), 1)
		spread := noise * math.Sqrt(length/df/float64(k))
		for j := range row { // evenly spread numbers in place of random ones
			_, u := math.Modf(float64(i+1)*0.6180339887498949 + float64(j+1)*(float64(i%1009)+0.5)*0.41421356237309515)
			row[j] += spread * (u - 0.5) * math.Sqrt(12)
		}
		marginals.RowSums[i] = p[i] * float64(marginals.Documents)
		marginals.DocumentFrequency, marginals.TermFrequency = append(marginals.DocumentFrequency, int64(df)), append(marginals.TermFrequency, int64(df))
	}
	r := &model.Rectified{Vocabulary: v, Marginals: marginals, Factor: y}
	r.Manifest.Sketch = model.SketchRecord{Topics: k, Seed: o.Seed, ItemWeights: model.WeightsNone}
	r.Manifest.Corpus.Items, r.Manifest.Corpus.Documents, r.Manifest.Corpus.VocabularySHA256 = n, marginals.Documents, v.Fingerprint()
	return r, nil
}

// noise is how much a row in one document would vary, relative to its length.
const noise = 0.5

// Model measures the steps on a model at a path.
func (o *Options) Model(ctx context.Context, path, name string) ([]Record, error) {
	begin, cpu := time.Now(), report.CPUTime()
	session, err := steer.Open(ctx, path, &model.Run{Workers: o.Workers})
	if err != nil {
		return nil, err
	}
	m := session.Model()
	records := []Record{{Model: name, Items: m.Vocabulary.Len(), Step: "open", Wall: time.Since(begin).Seconds(), CPU: (report.CPUTime() - cpu).Seconds(), Solved: session.Solved()}}
	for _, at := range steps(m) {
		record := Record{Model: name, Items: m.Vocabulary.Len(), Step: at.name, Touched: len(at.touched)}
		var walls, cpus []float64
		for range o.Runs {
			begin, cpu := time.Now(), report.CPUTime()
			if err := session.Apply(ctx, at.step); err != nil {
				return nil, fmt.Errorf("%s: %w", at.name, err)
			}
			walls, cpus = append(walls, time.Since(begin).Seconds()), append(cpus, (report.CPUTime()-cpu).Seconds())
			record.Solved = session.Solved()
			record.others(session.Changes(session.Model()), at.touched)
			if err := session.Undo(ctx); err != nil {
				return nil, err
			}
		}
		slices.Sort(walls)
		slices.Sort(cpus)
		record.Wall, record.CPU = walls[len(walls)/2], cpus[len(cpus)/2]
		o.Log.Info("measured", "model", name, "step", at.name, "seconds", record.Wall, "cpu_seconds", record.CPU, "solved", record.Solved)
		records = append(records, record)
	}
	return records, nil
}

// others sets the distances of topics that the step is not about.
func (r *Record) others(changes []steer.Change, touched []int) {
	total, count := 0.0, 0
	r.MaxOther = 0
	for _, c := range changes {
		if c.Before >= 0 && !slices.Contains(touched, c.Before) {
			total += c.Distance
			r.MaxOther = max(r.MaxOther, c.Distance)
			count++
		}
	}
	r.MeanOthers = total / float64(max(count, 1))
}

// measured is a step that is measured, and the topics that it is about.
type measured struct {
	name    string
	step    steer.Step
	touched []int
}

// steps returns a step of every kind.
func steps(m *model.Model) []measured {
	id := func(k int) string { return strconv.Itoa(m.TopicIDs[k]) }
	names := func(k, first, last int) []string { return m.Names(m.Prominent[k])[first:last] }
	var stop []string
	for i := range m.Vocabulary.Len() {
		if !slices.Contains(m.Anchors, i) && len(stop) < 50 {
			stop = append(stop, m.Vocabulary.ID(i))
		}
	}
	return []measured{
		{"name", steer.Step{Kind: steer.Name, Topics: []string{id(0)}, Name: "one"}, []int{0}},
		{"pin", steer.Step{Kind: steer.Pin, Topics: []string{id(0)}}, []int{0}},
		{"merge", steer.Step{Kind: steer.Merge, Topics: []string{id(0), id(1)}}, []int{0, 1}},
		{"split", steer.Step{Kind: steer.Split, Topics: []string{id(2)}}, []int{2}},
		{"seed a topic", steer.Step{Kind: steer.Seed, Topics: []string{id(3)}, Items: names(3, 2, 6)}, []int{3}},
		{"seed a new topic", steer.Step{Kind: steer.Seed, Topics: []string{steer.NewTopic}, Items: rare(m, 4)}, []int{4}},
		{"ban an anchor", steer.Step{Kind: steer.Ban, Scope: steer.AsAnchor, Items: []string{m.Vocabulary.ID(m.Anchors[6])}}, []int{6}},
		{"ban an item", steer.Step{Kind: steer.Ban, Scope: steer.InLists, Items: names(7, 0, 1)}, nil},
		{"remove 50 items", steer.Step{Kind: steer.Remove, Items: stop}, nil},
	}
}

// Write adds the records to a folder: steer.csv and README.md.
func Write(folder *report.Folder, records []Record, o Options, origin report.Origin, note string) error {
	t := report.NewTable("steer", report.Texts("model", "step"), report.Ints("items", "solved", "touched"), report.Floats("wall_seconds", "cpu_seconds", "mean_others", "max_other"))
	for _, r := range records {
		t.Add(r.Model, r.Step, int64(r.Items), int64(r.Solved), int64(r.Touched), r.Wall, r.CPU, r.MeanOthers, r.MaxOther)
	}
	if err := folder.AddTables(t); err != nil {
		return err
	}
	b := origin.Begin("How long steps take", note)
	fmt.Fprintf(b, `
Numbers stand for factors of so many items and %d topics, made of drawn B and A with noise as of %g documents per item. Each step was applied and taken back %d times;
the table has medians. A step ends when the whole model is there: all mixtures, B, A, shares and lists. "open" reads the model and solves
all mixtures once. "solved" counts the items whose mixture was solved again. "others" are the topics that the step is not about: the Hellinger
distance of p(item | topic) before and after it, the mean and the greatest.

`, o.Topics, o.PerItem, o.Runs)
	report.MarkdownHeader(b, "model", "items:", "step", "seconds:", "processor seconds:", "solved:", "others, mean:", "others, most:")
	for _, r := range records {
		report.MarkdownRow(b, r.Model, fmt.Sprint(r.Items), r.Step, fmt.Sprintf("%.2f", r.Wall), fmt.Sprintf("%.2f", r.CPU), fmt.Sprint(r.Solved),
			fmt.Sprintf("%.4f", r.MeanOthers), fmt.Sprintf("%.4f", r.MaxOther))
	}
	return folder.AddText("README.md", b.String())
}

// rare returns two items that are mainly of topic k, of those that come last: corners of frequent items would lie within the hull.
func rare(m *model.Model, k int) (ids []string) {
	for i := m.Vocabulary.Len() - 1; i >= 0 && len(ids) < 2; i-- {
		if m.Mixtures.Row(i)[k] > 0.6 {
			ids = append(ids, m.Vocabulary.ID(i))
		}
	}
	return ids
}
