// Package choosing measures how often the number of topics is chosen right, and keeps what is chosen for real corpora.
package choosing

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/csv"
	"errors"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/run"
	"anchorage/corpus"
	"anchorage/internal/synth"
	"anchorage/model/choose"
	"anchorage/model/fit"
)

//go:embed page.md
var page string

var grid = []string{"items", "multiple", "tokens", "topics", "strength", "concentration", "seed"}

// Part chooses the number of topics of corpora, drawn and real.
var Part = &run.Part{
	Name: "choose", Title: "How the number of topics is chosen",
	Uses:  run.With("model/choose"),
	About: "Measure how often the number of topics is chosen right",
	Settings: []run.Setting{
		{Name: "corpus", Default: documents.Drawn, Help: "drawn, or folders of the data"},
		{Name: "topics", Default: "5,10,15,20,30,40,50,60", Help: "true numbers of topics of drawn corpora"},
		{Name: "strength", Default: "0.8,1", Help: "share of an anchor's row that is in its own topic"},
		{Name: "items", Default: "2000", Help: "items"},
		{Name: "multiple", Default: "10,30", Help: "documents per item"},
		{Name: "tokens", Default: "50", Help: "mean length of a document"},
		{Name: "concentration", Default: "0.1", Help: "concentration of each topic in a document"},
		{Name: "seed", Default: "1,2,3,4", Help: "seeds of the corpora"},
		{Name: "to", Default: "100", Help: "end of the range of numbers"},
		{Name: "data", Default: "data", Help: "folder with a folder of shards per real corpus", How: true},
		{Name: "from", Default: "5", Help: "beginning of the range of real corpora; that of drawn ones is 2", How: true},
		{Name: "steps", Default: "6", Help: "numbers of topics of real corpora that are solved", How: true},
	},
	Keys:  append([]string{"corpus", "flags"}, grid...),
	Cells: cells,
	Measure: func(ctx context.Context, j *run.Job) error {
		if j.Text("corpus") == documents.Drawn {
			return measureDrawn(ctx, j)
		}
		return measureReal(ctx, j)
	},
	Page: page,
}

func cells(v *run.Values) (cells []run.Values, err error) {
	for _, c := range v.Product("corpus=corpus") {
		if c["corpus"] != documents.Drawn {
			for _, key := range grid {
				c[key] = ""
			}
			cells = append(cells, c)
			continue
		}
		for _, c := range c.Product("items=items", "multiple=multiple", "tokens=tokens", "topics=topics", "strength=strength",
			"concentration=concentration", "seed=seed") {
			err = errors.Join(err, modelOf(c).Check())
			cells = append(cells, c)
		}
	}
	return cells, err
}

func modelOf(v run.Values) synth.Model {
	return synth.Model{Items: v.Int("items"), Topics: v.Int("topics"), Documents: v.Int("items") * v.Int("multiple"),
		Tokens:         v.Int("tokens"),
		AnchorStrength: v.Float("strength"), Concentration: v.Float("concentration"), Seed: v.Seed("seed")}
}

// measureDrawn draws a corpus and chooses by its spectrum.
func measureDrawn(ctx context.Context, j *run.Job) (err error) {
	from := modelOf(j.Values)
	from.Workers = j.Workers
	of := from.Plant()
	docs, err := documents.OpenDrawn(ctx, of, "", j.Workers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	r := &fit.Run{Workers: j.Workers}
	count, err := choose.Spectrum(ctx, docs, choose.Options{From: 2, To: j.Int("to"), Model: fit.Options{Seed: 1, Run: r}})
	if err != nil {
		return err
	}
	var values []string // the eigenvalues in parts of the edge, down to half of it
	for _, value := range count.Values {
		if value >= count.Edge/2 {
			values = append(values, strconv.FormatFloat(value/count.Edge, 'g', 4, 64))
		}
	}
	seconds := 0.0
	for _, stage := range r.Stages() {
		seconds += stage.Seconds
	}
	j.Row("chosen", count.Topics, "low", count.Low, "high", count.High, "basis", count.Basis, "edge", count.Edge,
		"spectrum", strings.Join(values, " "), "seconds", seconds)
	return nil
}

// measureReal chooses for a corpus with the default limits of its kind, and keeps what the numbers that were solved
// give.
func measureReal(ctx context.Context, j *run.Job) (err error) {
	docs, err := documents.Open(ctx, filepath.Join(j.Text("data"), j.Text("corpus")), corpus.Options{Workers: j.Workers})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.Close()) }()
	c, err := choose.Topics(ctx, docs, choose.Options{From: j.Int("from"), To: j.Int("to"), Steps: j.Int("steps"),
		Model: fit.Options{Seed: 1, Run: &fit.Run{Workers: j.Workers, Log: slog.New(slog.DiscardHandler)}}})
	if err != nil {
		return err
	}
	j.Row("documents_read", c.Manifest.Corpus.Documents, "items_kept", c.Manifest.Corpus.Items, "from", c.From, "to", c.To,
		"chosen", c.Topics, "low", c.Low, "high", c.High, "open", c.Open, "basis", c.Basis, "reason", c.Reason)
	var text bytes.Buffer
	if err := c.WriteCSV(&text); err != nil {
		return err
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		return err
	}
	for _, row := range rows[1:] {
		var pairs []any
		for i, cell := range row {
			name := rows[0][i]
			if name == "topics" { // which is that of the run for drawn corpora
				name = "number"
			}
			pairs = append(pairs, name, cell)
		}
		j.Add("numbers", pairs...)
	}
	return nil
}
