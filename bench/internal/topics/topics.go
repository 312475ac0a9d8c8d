// Package topics compares topics of systems, ours with many settings and other programs, on the same documents and
// items: what they cost, how they read and how they predict, within no limits but those of time and
// memory.
package topics

import (
	"context"
	_ "embed"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/bench/internal/systems"
)

//go:embed page.md
var page string

// figures are what topics are scored by, where it applies.
var figures = []string{"npmi", "diversity", "npmi_probable", "diversity_probable", "log_likelihood", "impossible",
	"error_b", "cosine", "agreement", "recall_20", "ndcg_100"}

// Part runs systems on corpora.
var Part = &run.Part{
	Name: "topics", Title: "Topics of programs on the same documents",
	About: "Compare topics of ours with those of other settings and other programs",
	Settings: append([]run.Setting{
		{Name: "data", Default: "data", Help: "folder whose folders are the corpora", How: true},
		{Name: "corpus", Default: "drawn", Help: "folders of the data, drawn or drawn-tweets"},
		{Name: "vocabulary", Default: "5000", Help: "numbers of items, those of greatest tf·idf; 0 for all"},
		{Name: "topics", Default: "50", Help: "numbers of topics, K"},
		{Name: "system", Default: "anchorage,anchorage-no-refine,anchorage-published,sklearn-nmf",
			Help: "systems, as the table of README.md lists them", Among: systems.Names()},
		{Name: "repeat", Default: "1", Help: "numbers of repeats, which are seeds"},
		{Name: "min-df", Default: "-1", Help: "fewest documents of an item that is kept; -1 by the kind of the corpus"},
		{Name: "max-df-ratio", Default: "-1.0",
			Help: "largest share of documents of an item that is kept; -1 by the kind of the corpus"},
	}, systems.Settings...),
	Keys:   []string{"corpus", "vocabulary", "topics", "repeat", "system", "flags"},
	Shared: []string{"corpus", "vocabulary", "topics", "flags"}, Prepare: prepare,
	Hopeless: func(j *run.Job, rows []show.Row) string {
		return systems.Hopeless(j, rows, []string{"corpus", "system", "flags"}, []string{"vocabulary", "topics"})
	},
	Measure: func(ctx context.Context, j *run.Job) error {
		m := j.State.(*material)
		j.Row("items", m.Learning.Vocabulary.Len(), "documents", m.count, "entries", m.entries)
		for _, figure := range figures {
			j.Row(figure, "")
		}
		found, err := systems.Try(ctx, j, j.Text("system"), m.Learning.Vocabulary.Len(), j.Int("topics"), j.Seed("repeat"))
		if err != nil {
			return err
		}
		return m.score(ctx, j, found.B, found.Lists)
	},
	Notes: systems.Notes(),
	Page:  page,
	Quick: "--data DATA/data --corpus wiki,drawn --vocabulary 150,250 --topics 4 --system anchorage,anchorage-published",
}
