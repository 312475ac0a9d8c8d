// Package paper computes the tables and figures of Lee, Cho, Dong, Mimno & Bindel (ICML 2021) and of Dong's thesis
// (Cornell, 2019), on the reference corpora and on drawn corpora of the published shapes.
package paper

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/template"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
)

//go:embed page.md
var page string

// The figures, by what the papers call them.
const (
	Figure2  = "2"
	Figure3  = "3"
	Figure4  = "4"
	Table1   = "table1"
	Figure43 = "4.3"
)

// figures are what makes a run of each.
var figures = map[string]func(context.Context, *run.Job, *opened) error{Figure2: measureFigure2,
	Figure3: measureFigure3, Figure4: measureFigure4, Table1: measureTable1, Figure43: measureFigure43}

// Part is the papers.
var Part = &run.Part{
	Name: "paper", Title: "The tables and figures of the papers",
	About: "Compute the tables and figures of the papers",
	Settings: []run.Setting{
		{Name: "data", Help: "folder that holds data/ and reference/ (required)", How: true},
		{Name: "corpora", Default: "nips,retail,wiki,nytimes,movies,songs",
			Help: "corpora; a drawn one is taken in place of an original that is not there", How: true},
		{Name: "figures", Default: "table1,2,3,4,4.3", Help: "tables and figures", How: true,
			Among: slices.Sorted(maps.Keys(figures))},
		{Name: "pipelines", Default: "AP+AW,PALM+LAW,ENN+LAW,LR-JSMF,iPALM+LAW",
			Help: "pipelines of Figures 2 and 3; PALM-converged+LAW takes hours", How: true,
			Among: []string{alternating, palmed, palmedLong, "ENN+LAW", randomised, palmedFast}},
		{Name: "topics", Default: "5,10,15,20,25,50,75,100", Help: "numbers of topics of Figures 3 and 4", How: true},
		{Name: "sizes", Default: "1250,2500,5000,7500,10000,15000,20000,50000,100000,0",
			Help: "vocabularies of Figure 4, the smallest first; 0 for all items", How: true},
		{Name: "base", Default: "5000",
			Help: "items of Figure 3 where they are chosen, and those that Figure 4.3 compares with", How: true},
		{Name: "seeds", Default: "10", Help: "runs of the randomised pipeline, with the seeds from 1", How: true},
	},
	Keys:    []string{"figure", "corpus", "size", "topics", "pipeline", "seed"},
	Cells:   cells,
	Shared:  []string{"figure", "corpus", "size"},
	Prepare: run.Keeping(open),
	Measure: func(ctx context.Context, j *run.Job) error {
		return figures[j.Text("figure")](ctx, j, j.State.(*opened))
	},
	Notes: notes,
	Page:  page,
	Funcs: template.FuncMap{"hulls": drawHulls},
}

// notes say what pipelines are; the settings that they ran with are in the rows of their runs.
var notes = []show.Note{
	{Name: baseline, Text: "the anchor word algorithm on C as it was counted"},
	{Name: alternating, Text: "alternating projection on C, then the anchor word algorithm"},
	{Name: palmed, Text: "PALM from exact eigenpairs, then LAW"},
	{Name: palmedLong, Text: "the same until the factors move by at most 1e-4 in an iteration"},
	{Name: "ENN+LAW", Text: "ENN from exact eigenpairs, then LAW"},
	{Name: randomised, Text: "eigenpairs from passes over the documents, then ENN and LAW: what --paper runs"},
	{Name: palmedFast,
		Text: "the objective of PALM by columns, with inertia and an s that adapts, until it has converged; then LAW"},
}

// cells returns the runs: figure by figure, corpus by corpus.
func cells(v *run.Values) (cells []run.Values, err error) {
	if err := check(v); err != nil {
		return nil, err
	}
	add := func(figure, corpus string, size, topics int, pipeline string, seed int) {
		cells = append(cells, v.With("figure", figure, "corpus", corpus, "size", size, "topics", topics, "pipeline", pipeline,
			"seed", seed))
	}
	for _, figure := range v.List("figures") {
		for _, key := range v.List("corpora") {
			d, err := findSource(v.Text("data"), key)
			if err != nil {
				return nil, err
			}
			switch figure {
			case Figure2:
				add(figure, d.name(), v.Int("base"), min(hullTopics, v.Int("base")), "", 1)
			case Figure3:
				for _, k := range v.Ints("topics") {
					for _, pipeline := range v.List("pipelines") {
						if pipeline != randomised {
							add(figure, d.name(), v.Int("base"), k, pipeline, 0)
							continue
						}
						for seed := range v.Int("seeds") {
							add(figure, d.name(), v.Int("base"), k, pipeline, seed+1)
						}
					}
				}
			case Figure4:
				for _, size := range v.Ints("sizes") {
					for _, k := range v.Ints("topics") {
						for seed := range v.Int("seeds") {
							add(figure, d.name(), size, k, randomised, seed+1)
						}
					}
				}
			case Table1:
				if d.text {
					add(figure, d.name(), min(table1Items, 2*v.Int("base")), wordTopics, randomised, wordSeed)
				}
			case Figure43:
				if d.text {
					add(figure, d.name(), v.Int("base"), wordTopics, randomised, wordSeed)
				}
			}
		}
	}
	return cells, nil
}

func check(v *run.Values) error {
	if v.Text("data") == "" {
		return errors.New("--data must name the folder of the data")
	}
	for _, k := range v.Ints("topics") {
		if k < 2 {
			return fmt.Errorf("there must be at least 2 topics, not %d", k)
		}
	}
	return nil
}
