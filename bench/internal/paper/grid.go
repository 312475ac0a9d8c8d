// This file says which tables and figures to compute, and computes them in order.

package paper

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"anchorage/bench/internal/report"
)

// The parts of a paper run, by what they are called in Lee et al. (ICML 2021) and Dong (2019).
const (
	Figure2  = "2"
	Figure3  = "3"
	Figure4  = "4"
	Table1   = "table1"
	Figure43 = "4.3"
)

// The full grid of a paper run.
var (
	AllCorpora   = []string{"nips", "retail", "wiki", "nytimes", "movies", "songs"}
	AllTopics    = []int{5, 10, 15, 20, 25, 50, 75, 100}
	AllFigures   = []string{Figure2, Figure3, Figure4, Table1, Figure43}
	AllSizes     = []int{1250, 2500, 5000, 7500, 10000, 15000, 20000, 50000, 100000}
	AllSeeds     = 10
	AllPipelines = []string{"AP+AW", palmed, "ENN+LAW", randomised, palmedFast}
)

// knownPipelines are AllPipelines, and PALM until it has converged, which takes hours for the full grid.
var knownPipelines = append(slices.Clone(AllPipelines), palmedLong)

// baseItems is N of Figure 3, and the size that Figure 4.3 compares with.
const baseItems = 5000

// Grid says which tables and figures to compute. Zero values stand for the full grid.
type Grid struct {
	Data      string   // folder with data/ and reference/; the results do not name it
	Corpora   []string // of AllCorpora
	Topics    []int    // K of Figure 3
	Figures   []string // of AllFigures
	Seeds     int      // of the randomised pipeline
	Pipelines []string // of Figure 3, of AllPipelines or palmedLong
	// GrowthTopics are the K of Figure 4; nil for Topics.
	GrowthTopics []int
	GrowthSeeds  int // of Figure 4; 0 for Seeds
	// Sizes are the N of Figure 4 beside the full vocabulary. Those beyond a corpus's items are left out.
	Sizes []int
	// MaxItems leaves larger vocabularies out of Figure 4, the full one too; 0 for no limit.
	MaxItems int
	// Reduced lists, for a corpus or a pipeline, the only K that it is run with.
	Reduced map[string][]int
	Earlier []string // folders of earlier results, whose runs are taken over
	// Stopwords is a file with the words that tables of words leave out, such as the authors' own; empty for those of the program.
	Stopwords string
	// Share cuts the documents and items of drawn stand-ins, above 0 and up to 1; 0 for all.
	Share   float64
	Base    int // N of Figure 3 where items are chosen, and the base of Figure 4.3; 0 for 5,000
	Workers int
	Log     *slog.Logger
}

// Check returns an error when a name is unknown or a number wrong.
func (p Grid) Check() error {
	for _, name := range p.Corpora {
		if _, err := findSource(name); err != nil {
			return err
		}
	}
	for _, name := range p.Figures {
		if !slices.Contains(AllFigures, name) {
			return fmt.Errorf("there is no figure %q: there are %s", name, strings.Join(AllFigures, ", "))
		}
	}
	for _, name := range p.Pipelines {
		if !slices.Contains(knownPipelines, name) {
			return fmt.Errorf("there is no pipeline %q: there are %s", name, strings.Join(knownPipelines, ", "))
		}
	}
	for _, list := range append([][]int{p.Topics, p.GrowthTopics}, slices.Collect(maps.Values(p.Reduced))...) {
		for _, k := range list {
			if k < 2 {
				return fmt.Errorf("there must be at least 2 topics, not %d", k)
			}
		}
	}
	for _, n := range p.Sizes {
		if n < 1 {
			return fmt.Errorf("a vocabulary must have at least 1 item, not %d", n)
		}
	}
	for name := range p.Reduced {
		if !slices.Contains(AllCorpora, name) && !slices.Contains(knownPipelines, name) {
			return fmt.Errorf("%q is neither a corpus nor a pipeline: there are %s", name, strings.Join(slices.Concat(AllCorpora, knownPipelines), ", "))
		}
	}
	if !(p.Share >= 0 && p.Share <= 1) {
		return fmt.Errorf("the share of drawn stand-ins must be from 0 to 1, not %v", p.Share)
	}
	if p.Seeds < 0 || p.GrowthSeeds < 0 || p.MaxItems < 0 {
		return errors.New("numbers of seeds and items cannot be negative")
	}
	return nil
}

// filled returns p with the full grid where nothing was said.
func (p Grid) filled() Grid {
	if p.Corpora == nil {
		p.Corpora = AllCorpora
	}
	if p.Topics == nil {
		p.Topics = AllTopics
	}
	if p.GrowthTopics == nil {
		p.GrowthTopics = p.Topics
	}
	if p.Figures == nil {
		p.Figures = AllFigures
	}
	if p.Pipelines == nil {
		p.Pipelines = AllPipelines
	}
	if p.Sizes == nil {
		p.Sizes = AllSizes
	}
	if p.Seeds == 0 {
		p.Seeds = AllSeeds
	}
	if p.GrowthSeeds == 0 {
		p.GrowthSeeds = p.Seeds
	}
	if p.Base == 0 {
		p.Base = baseItems
	}
	if p.Log == nil {
		p.Log = slog.New(slog.DiscardHandler)
	}
	return p
}

// wants says whether k topics are run with all the corpora and pipelines that are named.
func (p Grid) wants(k int, names ...string) bool {
	for _, name := range names {
		if only, ok := p.Reduced[name]; ok && !slices.Contains(only, k) {
			return false
		}
	}
	return true
}

// results is what the parts of a grid add to.
type results struct {
	*report.Folder
	from     reader
	sources  []source        // the corpora of the grid
	short    []string        // lines of the README's summary
	sections strings.Builder // sections of the README
}

// Write computes everything and writes it into the folder results, which must not exist. The same grid gives the same numbers,
// but for the times.
func (p Grid) Write(ctx context.Context, folder string) (err error) {
	if err := p.Check(); err != nil {
		return err
	}
	p = p.filled()
	r := &results{}
	if r.Folder, err = report.NewFolder(folder); err != nil {
		return err
	}
	spill, remove, err := report.Scratch(filepath.Dir(folder))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if r.sources, err = p.sources(); err != nil {
		return err
	}
	r.from = reader{folder: p.Data, spill: spill, stopwords: p.Stopwords, workers: p.Workers, log: p.Log}
	for _, part := range []struct {
		name  string
		write func(context.Context, *results) error
	}{
		{Figure2, p.writeFigure2}, {Figure3, p.writeFigure3}, {Figure4, p.writeFigure4}, {Table1, p.writeTable1}, {Figure43, p.writeFigure43},
	} {
		if slices.Contains(p.Figures, part.name) {
			if err := part.write(ctx, r); err != nil {
				return err
			}
		}
	}
	if err := r.AddText("README.md", p.readme(r)); err != nil {
		return err
	}
	return r.Commit()
}

// Command returns the command line that the results were made with; DATA, RESULTS and EARLIER stand for the folders.
func (p Grid) Command() string {
	p = p.filled()
	words := []string{"go run ./bench paper --data DATA -o RESULTS"}
	add := func(flag, value, usual string) {
		if value != usual {
			words = append(words, "--"+flag+" "+value)
		}
	}
	add("corpora", strings.Join(p.Corpora, ","), strings.Join(AllCorpora, ","))
	add("figures", strings.Join(p.Figures, ","), strings.Join(AllFigures, ","))
	add("pipelines", strings.Join(p.Pipelines, ","), strings.Join(AllPipelines, ","))
	add("topics", joinInts(p.Topics), joinInts(AllTopics))
	add("growth-topics", joinInts(p.GrowthTopics), joinInts(p.Topics))
	for _, name := range slices.Concat(AllCorpora, knownPipelines) {
		if reduced, ok := p.Reduced[name]; ok {
			add("reduced", name+"="+strings.ReplaceAll(joinInts(reduced), ",", ":"), "")
		}
	}
	add("sizes", joinInts(p.Sizes), joinInts(AllSizes))
	add("max-items", strconv.Itoa(p.MaxItems), "0")
	if p.Stopwords != "" {
		add("stop-words", "WORDS", "")
	}
	if p.Share > 0 && p.Share < 1 {
		add("share", strconv.FormatFloat(p.Share, 'g', -1, 64), "")
	}
	add("seeds", strconv.Itoa(p.Seeds), strconv.Itoa(AllSeeds))
	add("growth-seeds", strconv.Itoa(p.GrowthSeeds), strconv.Itoa(p.Seeds))
	for range p.Earlier {
		words = append(words, "--earlier EARLIER")
	}
	return strings.Join(words, " ")
}

func joinInts(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}
