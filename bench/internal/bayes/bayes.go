// Package bayes measures variational inference as Paisley, Blei & Jordan (2014) do in their chapter: held-out
// likelihood of Bayesian NMF, correlated NMF and online LDA, before batches are learned from, and of documents that are
// set aside.
package bayes

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"text/template"
	"time"

	"anchorage/bayes"
	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/internal/process"
	"anchorage/model/fit"
)

//go:embed page.md
var page string

// Part is variational inference.
var Part = &run.Part{
	Name: "bayes", Title: "Variational inference: the chapter's findings on other documents",
	Uses:  []string{"bayes", "corpus"},
	About: "Measure variational inference as its chapter does",
	Settings: []run.Setting{
		{Name: "data", Help: "folder that holds the corpora (required)", How: true},
		{Name: "corpora", Help: "folders of shards there (required)", How: true},
		{Name: "models", Default: "bnmf,cnmf,lda", Help: "models", How: true,
			Among: []string{string(bayes.BNMF), string(bayes.CNMF), string(bayes.LDA)}},
		{Name: "topics", Default: "50,100,150", Help: "numbers of topics, K", How: true},
		{Name: "batch-sizes", Default: "500,1000,1500,2000", Help: "sizes of batches, |C|", How: true},
		{Name: "items", Default: "8000", Help: "items, V: those of greatest tf·idf", How: true},
		{Name: "max-df-ratio", Default: "0.5", Help: "items in at most this share of the documents", How: true},
		{Name: "documents", Default: "0", Help: "numbers of documents to learn from, D; 0 for all", How: true},
		{Name: "pieces", Default: "0", Help: "tokens of the pieces that documents are cut into; 0 for whole documents",
			How: true},
		{Name: "epochs", Default: "1", Help: "numbers of epochs, or of iterations of the batch algorithm", How: true},
		{Name: "t0", Default: "1", Help: "of the step size (t0+t)^-½", How: true},
		{Name: "priors", Default: chapter, Help: "hyperparameters: chapter, learned, window", How: true,
			Among: []string{chapter, learned, window}},
		{Name: "algorithms", Default: stochastic, Help: "stochastic, batch", How: true, Among: []string{stochastic, batch}},
		{Name: "seeds", Default: "1", Help: "fits of each kind, with the seeds from 1", How: true},
	},
	Keys: []string{"corpus", "most_items", "max_df_ratio", "piece", "limit", "seed", "algorithm", "t0", "priors", "epochs",
		"batch_size", "topics", "model"},
	Cells: func(v *run.Values) ([]run.Values, error) {
		cells := v.Product("corpus=corpora", "most_items=items", "max_df_ratio=max-df-ratio", "piece=pieces",
			"limit=documents")
		return eachFit(cells, v.Int("seeds")), check(cells)
	},
	Shared:  []string{"corpus", "most_items", "max_df_ratio"},
	Prepare: run.Keeping(open),
	Measure: learn,
	Notes: []show.Note{{Name: "bnmf", Text: "Bayesian NMF"}, {Name: "cnmf", Text: "correlated NMF"},
		{Name: "lda", Text: "online LDA"},
		{Name: stochastic, Text: "a step per mini-batch"}, {Name: batch, Text: "every iteration sees all documents"},
		{Name: chapter, Text: "c₀ = V/20 and a₀ = b₀ = 1/K"},
		{Name: learned, Text: "these to begin with; then they are learned (bayes.Options.LearnPriors)"},
		{Name: window, Text: "c₀ is multiplied by D over the number of documents that the last steps remember"}},
	Page:  page,
	Funcs: template.FuncMap{"gains": gains, "blocks": blocks},
}

// The algorithms, and the choices of hyperparameters.
const (
	stochastic, batch        = "stochastic", "batch"
	chapter, learned, window = "chapter", "learned", "window"
)

// eachFit returns the fits of every cell. The batch algorithm has neither steps nor batches, and cannot learn
// hyperparameters.
func eachFit(cells []run.Values, seeds int) (all []run.Values) {
	for _, c := range cells {
		for seed := range seeds {
			c = c.With("seed", seed+1)
			for _, algorithm := range c.List("algorithms") {
				if algorithm == batch {
					all = append(all, c.With("algorithm", batch, "t0", 0, "priors", chapter, "batch_size", 0).Product("epochs=epochs",
						"topics=topics", "model=models")...)
				} else {
					all = append(all, c.With("algorithm", algorithm).Product("t0=t0", "priors=priors", "epochs=epochs",
						"batch_size=batch-sizes", "topics=topics", "model=models")...)
				}
			}
		}
	}
	return all
}

func check(cells []run.Values) error {
	if len(cells) == 0 {
		return errors.New("--data and --corpora must name the corpora")
	}
	if of := cells[0]; slices.Min(of.Ints("topics")) < 2 || slices.Min(of.Ints("batch-sizes")) < 2 {
		return errors.New("numbers of topics and sizes of batches must be 2 or more")
	}
	return nil
}

// remembered returns of how many documents the global variables are the mean at the end. Step t of T has the weight w_t
// = ρ_t Π_{s>t} (1−ρ_s) in it, and a mean of batches with these weights varies as one of 1/Σw² batches with equal
// weights does. It is at most all documents, which is what the batch algorithm remembers.
func remembered(documents int64, batchSize, epochs int, delay float64) float64 {
	if batchSize == 0 {
		return float64(documents)
	}
	steps := (int(documents) + batchSize - 1) / batchSize * epochs
	left, sum, squares := 1.0, 0.0, 0.0
	for t := steps; t > 0; t-- {
		rho := 1 / math.Sqrt(delay+float64(t))
		w := left * rho
		sum, squares, left = sum+w, squares+w*w, left*(1-rho)
	}
	return min(float64(documents), sum*sum/squares*float64(batchSize))
}

// learn makes one fit and tests it.
func learn(ctx context.Context, j *run.Job) error {
	d, err := j.State.(*collection).divide(ctx, j)
	if err != nil {
		return err
	}
	kept := remembered(d.facts.Documents, j.Int("batch_size"), j.Int("epochs"), j.Float("t0"))
	options := bayes.Options{Model: bayes.Model(j.Text("model")), Topics: j.Int("topics"), BatchSize: j.Int("batch_size"),
		Delay: j.Float("t0"), Seed: j.Seed("seed"), Workers: j.Workers, C0: 0.05 * float64(d.facts.Items),
		LearnPriors: j.Text("priors") == learned}
	if j.Text("priors") == window {
		options.C0 *= float64(d.facts.Documents) / kept
	}
	plan := bayes.Plan{Epochs: j.Int("epochs")}
	if j.Text("algorithm") == batch {
		plan = bayes.Plan{Batch: true, Iterations: j.Int("epochs")}
	}
	state := bayes.NewState(options, d.facts)
	f, err := bayes.NewFitter(state, plan, bayes.Source{Shuffled: d.shuffled, Pass: documents.Pass(d.learning)})
	if err != nil {
		return err
	}
	defer f.Close()
	begin, used := time.Now(), process.CPUSeconds()
	if err := f.Run(ctx); err != nil {
		return err
	}
	seconds, cpu := time.Since(begin), process.CPUSeconds()-used
	o := state.Options
	state.Options.Seed = 1 // which deals the tokens of the documents set aside into thirds, the same for all fits
	score, err := bayes.Evaluate(ctx, state, documents.Pass(d.apart))
	if err != nil {
		return err
	}
	j.Row("items", d.facts.Items, "documents", d.facts.Documents, "tokens", d.facts.Tokens, "remembered", kept,
		"set_aside", score.LogLikelihood,
		"set_aside_tokens", score.Tokens, "course", course(f.Scores, d.facts.Documents*int64(j.Int("epochs"))), "a0", o.A0,
		"b0", o.B0, "c0", o.C0, "seconds", seconds, "cpu_seconds", cpu)
	for _, s := range f.Scores {
		j.Add("curves", "seen", s.Documents, "tested", s.Tokens, "score", s.LogLikelihood)
	}
	if o.Model == bayes.CNMF && j.Int("seed") == 1 {
		return readTopics(ctx, j, state, d)
	}
	return nil
}

// course returns how the score of the batches tested changes from the second fifth of a fit to the last one; NaN where
// there are none.
func course(scores []bayes.HeldOut, all int64) float64 {
	within := func(from, to float64) float64 {
		sum, tokens := 0.0, 0.0
		for _, s := range scores {
			if at := float64(s.Documents) / float64(all); at >= from && at < to {
				sum, tokens = sum+s.LogLikelihood*float64(s.Tokens), tokens+float64(s.Tokens)
			}
		}
		return sum / tokens
	}
	return within(0.8, math.Inf(1)) - within(0.2, 0.4)
}

// readTopics reports the topics of a state, the most probable first, and the correlations of the first ones.
func readTopics(ctx context.Context, j *run.Job, state *bayes.State, d *divided) error {
	const correlated, words = 40, 10
	t := fit.BayesTopics(state)
	order := make([]int, t.K)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.Prior[b], t.Prior[a]) })
	prominent, err := t.Prominent(ctx, t.RowSums, 1, words)
	if err != nil {
		return err
	}
	for at, k := range order {
		var list string
		for _, scored := range prominent[k] {
			list += ", " + d.vocabulary.ID(scored.Item)
		}
		j.Add("topics", "topic", at+1, "share", t.Prior[k], "items", list[2:])
	}
	for a, x := range order[:min(correlated, len(order))] {
		for b, y := range order[:min(correlated, len(order))] {
			j.Add("correlations", "topic", a+1, "other", b+1, "correlation", state.Correlation(x, y))
		}
	}
	return nil
}

// gains adds to the fits of a view by how much each predicts better than the one with the next smaller number of topics
// (gain, with doubled where that is half as many) and than the one with the fewest (rise), of the same settings and
// seed. The fit with the most topics has most.
func gains(v show.View) show.View {
	out := v
	out.Columns = append(append([]string{}, v.Columns...), "gain", "doubled", "rise", "most")
	out.Rows = nil
	const settings = "corpus,most_items,max_df_ratio,piece,limit,model,algorithm,batch_size,t0,epochs,priors,seed"
	for _, of := range v.Sort("topics").By(settings) {
		for i, row := range of.Rows {
			with := map[string]string{"gain": "", "doubled": "", "rise": "", "most": strconv.FormatBool(i == len(of.Rows)-1)}
			if i > 0 {
				before := of.Rows[i-1]
				with["gain"], with["rise"] = less(row, before, "set_aside"), less(row, of.Rows[0], "set_aside")
				with["doubled"] = strconv.FormatBool(less(row, before, "topics") == before["topics"])
			}
			maps.Copy(with, row)
			out.Rows = append(out.Rows, with)
		}
	}
	return out
}

// less returns by how much a number is greater in one row than in another.
func less(a, b show.Row, column string) string {
	x, _ := strconv.ParseFloat(a[column], 64)
	y, _ := strconv.ParseFloat(b[column], 64)
	return strconv.FormatFloat(x-y, 'g', -1, 64)
}

// blocks draws correlations as Figure 11.4: green squares for positive ones and red ones on a corner for negative ones,
// with an area in proportion to the correlation. The colours are the bluish green and the vermillion of Okabe & Ito,
// which the colour-blind can tell apart.
func blocks(file string, v show.View) (string, error) {
	const cell, margin = 14, 28
	if v.Empty() {
		return "", nil
	}
	return v.Save(file, func(w io.Writer) error {
		n := int(math.Sqrt(float64(len(v.Rows))))
		side := n*cell + 2*margin
		fmt.Fprintf(w,
			`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%[1]d" font-family="sans-serif" font-size="10">`+
				"\n"+`<rect width="%[1]d" height="%[1]d" fill="#fff"/>`+"\n", side)
		for i := 0; i <= n; i++ {
			at := margin + i*cell
			fmt.Fprintf(w, `<path d="M%d %dV%dM%[2]d %[1]dH%[3]d" stroke="#e4e4e4"/>`+"\n", at, margin, side-margin)
			if i < n && (i == 0 || i%5 == 4) {
				fmt.Fprintf(w,
					`<text x="%d" y="%d" text-anchor="end">%d</text><text x="%d" y="%d" text-anchor="middle">%[3]d</text>`+"\n",
					margin-4, at+cell-4, i+1, at+cell/2, margin-6)
			}
		}
		for _, row := range v.Rows {
			i, _ := strconv.Atoi(row["topic"])
			j, _ := strconv.Atoi(row["other"])
			value, _ := strconv.ParseFloat(row["correlation"], 64)
			half, shape, color := cell/2*math.Sqrt(math.Abs(value)), "M%.1[1]f %.1[1]fH%.1[2]fV%.1[2]fH%.1[1]fZ", "#009e73"
			if value < 0 {
				shape, color = "M0 %.1[1]fL%.1[2]f 0L0 %.1[2]fL%.1[1]f 0Z", "#d55e00"
			}
			fmt.Fprintf(w, `<path transform="translate(%d %d)" d="%s" fill="%s"/>`+"\n", margin+(j-1)*cell+cell/2,
				margin+(i-1)*cell+cell/2, fmt.Sprintf(shape, -half, half), color)
		}
		_, err := io.WriteString(w, "</svg>\n")
		return err
	})
}
