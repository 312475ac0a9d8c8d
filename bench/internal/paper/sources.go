// This file holds the table of the corpora: where they lie, how they are read, and what stands for those that are not there.

package paper

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"anchorage/bench/internal/documents"
	"anchorage/corpus"
	"anchorage/internal/synth"
)

// source is a corpus by its place in the data folder.
type source struct {
	key, title string
	shards     string
	vocabulary string // the items of Figure 3; empty where they are chosen by tf·idf
	items      int    // N of Figure 3 as published; 0 for that of the grid
	// maxDFRatio leaves out items in more than this share of the documents; 0 keeps all.
	maxDFRatio float64
	text       bool // items are words that can be read, and stop words are left out
	// read yields the documents of an original in a format of its own; nil for a format of package shard.
	read func(path string) iter.Seq2[corpus.Document, error]
	// drawn, if not nil, is the corpus that stands for the original where the folder has none; standsIn says that it does.
	drawn    *synth.Model
	standsIn bool
}

// The shapes of the drawn corpora are those of Lee, Bindel & Mimno (NIPS 2015, table 2), after the papers' choice of items: M, N and
// the mean length of a document.
var sources = []source{
	{key: "nips", title: "NIPS papers", shards: "data/nips/docword.nips.txt.gz", vocabulary: "reference/nips-n5000.dict", text: true},
	{key: "retail", title: "Retail baskets", shards: "data/retail/retail.dat.gz", vocabulary: "reference/retail-n5000.items"},
	{key: "wiki", title: "Wikipedia", shards: "data/wiki", maxDFRatio: 0.1, text: true},
	{key: "nytimes", title: "New York Times", shards: "data/nytimes/docword.nytimes.txt.gz", items: 15000, text: true,
		drawn: &synth.Model{Items: 15000, Topics: 100, Documents: 269325, Tokens: 205, Length: synth.LogNormal, Spread: 3, AnchorStrength: 0.9, Seed: 1}},
	{key: "movies", title: "Movies", shards: "data/movies/ratings.dat", items: 10000, read: readRatings,
		drawn: &synth.Model{Items: 10000, Topics: 50, Documents: 63041, Tokens: 143, Length: synth.LogNormal, Spread: 3, AnchorStrength: 0.9, Seed: 2}},
	{key: "songs", title: "Songs", shards: "data/songs/train.txt", items: 10000, read: readPlaylists,
		drawn: &synth.Model{Items: 10000, Topics: 50, Documents: 14653, Tokens: 119, Length: synth.LogNormal, Spread: 3, AnchorStrength: 0.9, Seed: 3}},
}

// findSource returns the corpus of that name.
func findSource(key string) (source, error) {
	for _, d := range sources {
		if d.key == key {
			return d, nil
		}
	}
	return source{}, fmt.Errorf("there is no corpus %q: there are %s", key, listed(AllCorpora))
}

// listed joins names by commas, the last two by "and".
func listed(names []string) string {
	text := ""
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text += " and "
		case i > 0:
			text += ", "
		}
		text += name
	}
	return text
}

// sources returns the corpora of the grid. Where the data folder does not hold an original, the corpus that stands for it has its
// place, cut to the share of the grid.
func (p Grid) sources() ([]source, error) {
	var list []source
	for _, key := range p.Corpora {
		d, err := findSource(key)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(filepath.Join(p.Data, filepath.FromSlash(d.shards))); d.drawn != nil && os.IsNotExist(err) {
			d.standIn(p.Share)
		}
		list = append(list, d)
	}
	return list, nil
}

// standIn puts the drawn corpus in the place of the original, with a share of its documents and items.
func (d *source) standIn(share float64) {
	model := *d.drawn
	if share > 0 && share < 1 {
		model.Documents = max(int(share*float64(model.Documents)), 100)
		model.Items = max(int(share*float64(model.Items)), 60)
		model.Topics = min(model.Topics, model.Items/6)
	}
	d.drawn, d.items, d.text, d.standsIn = &model, model.Items, false, true
	d.title += ", drawn stand-in"
}

// name is what tables call the corpus: a stand-in is marked as such.
func (d source) name() string {
	if d.standsIn {
		return d.key + "-drawn"
	}
	return d.key
}

// itemsRule says in words which items count.
func (d source) itemsRule() string {
	rule := "items by tf·idf among all"
	if d.maxDFRatio > 0 {
		rule = fmt.Sprintf("items by tf·idf among those in at most %g %% of the documents", 100*d.maxDFRatio)
	}
	if d.text {
		rule += ", without stop words"
	}
	return rule
}

// documents returns the documents of a stand-in, or of an original in a format of its own; nil for formats of package shard.
func (d source) documents(ctx context.Context, folder string, workers int) iter.Seq2[corpus.Document, error] {
	switch {
	case d.standsIn:
		model := *d.drawn
		model.Workers = workers
		drawn := model.Plant()
		return documents.Named(ctx, drawn.Pass, drawn.Vocabulary())
	case d.read != nil:
		return d.read(filepath.Join(folder, filepath.FromSlash(d.shards)))
	}
	return nil
}
