// This file holds the table of the corpora: where they are, how they are read, and what replaces those that are not
// there.

package paper

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"anchorage/internal/synth"
)

// source is a corpus by its place in the data folder.
type source struct {
	key        string
	shards     string
	vocabulary string // the items of Figure 3; empty where they are chosen by tf·idf
	items      int    // N of Figure 3 as published; 0 for that of the grid
	// maxDFRatio leaves out items in more than this share of the documents; 0 keeps all.
	maxDFRatio float64
	text       bool // items are words that can be read, and stop words are left out
	// drawn, if not nil, is the corpus that replaces the original where the folder has none; standsIn says that it does.
	drawn    *synth.Model
	standsIn bool
}

// The shapes of the drawn corpora are those of Lee, Bindel & Mimno (NIPS 2015, table 2), after the papers' choice of
// items: M, N and the mean length of a document.
var sources = []source{
	{key: "nips", shards: "data/nips/docword.nips.txt.gz", vocabulary: "reference/nips-n5000.dict", text: true},
	{key: "retail", shards: "data/retail/retail.dat.gz", vocabulary: "reference/retail-n5000.items"},
	{key: "wiki", shards: "data/wiki", maxDFRatio: 0.1, text: true},
	{key: "nytimes", shards: "data/nytimes/docword.nytimes.txt.gz", items: 15000, text: true,
		drawn: &synth.Model{Items: 15000, Topics: 100, Documents: 269325, Tokens: 205, Length: synth.LogNormal, Spread: 3,
			AnchorStrength: 0.9, Seed: 1}},
	{key: "movies", shards: "data/movies/ratings.csv", items: 10000,
		drawn: &synth.Model{Items: 10000, Topics: 50, Documents: 63041, Tokens: 143, Length: synth.LogNormal, Spread: 3,
			AnchorStrength: 0.9, Seed: 2}},
	{key: "songs", shards: "data/songs/train.dat", items: 10000,
		drawn: &synth.Model{Items: 10000, Topics: 50, Documents: 14653, Tokens: 119, Length: synth.LogNormal, Spread: 3,
			AnchorStrength: 0.9, Seed: 3}},
}

// findSource returns the corpus of that name. Where the data folder does not hold an original, it is the corpus that is
// drawn in its place.
func findSource(folder, name string) (source, error) {
	var names []string
	for _, d := range sources {
		if names = append(names, d.key); d.key != strings.TrimSuffix(name, "-drawn") {
			continue
		}
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(d.shards))); d.drawn != nil && os.IsNotExist(err) {
			d.items, d.text, d.standsIn = d.drawn.Items, false, true
		}
		return d, nil
	}
	return source{}, fmt.Errorf("there is no corpus %q: there are %s", name, strings.Join(names, ", "))
}

// name is what tables call the corpus: a stand-in is marked as such.
func (d source) name() string {
	if d.standsIn {
		return d.key + "-drawn"
	}
	return d.key
}

// rule says which items count and which documents do.
func (d source) rule(items int, fixed bool) string {
	text := fmt.Sprintf("the %d items of greatest tf·idf", items)
	if items == 0 {
		text = "all items"
	}
	switch {
	case d.standsIn:
		return fmt.Sprintf("%s; drawn from %d topics, since the original is not there", text, d.drawn.Topics)
	case fixed && d.vocabulary != "":
		return "the items of " + d.vocabulary
	}
	if d.maxDFRatio > 0 {
		text += fmt.Sprintf(" among those in at most %g %% of the documents", 100*d.maxDFRatio)
	}
	if d.text {
		text += ", without stop words"
	}
	return text
}
