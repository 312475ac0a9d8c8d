// This file holds the run over the tables and figures of the papers: what is asked for, in which order it is computed, and
// the folder that it is written to.

package bench

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"

	"anchorage/internal/durable"
)

// The parts of a paper run, by what they are called in Lee et al. (ICML 2021) and Dong (2019).
const (
	Figure3  = "3"
	Figure4  = "4"
	Table1   = "table1"
	Figure43 = "4.3"
)

// The full grid of a paper run.
var (
	PaperCorpora   = []string{"nips", "retail", "wiki"}
	PaperTopics    = []int{5, 10, 15, 20, 25, 50, 75, 100}
	PaperFigures   = []string{Figure3, Figure4, Table1, Figure43}
	PaperSizes     = []int{1250, 2500, 5000, 7500, 10000, 15000, 20000, 50000, 100000}
	PaperSeeds     = 10
	PaperPipelines = pipelineNames
)

// baseItems is N of Figure 3, and the size that Figure 4.3 compares with.
const baseItems = 5000

// Paper says which tables and figures are computed. A zero value stands for the full grid.
type Paper struct {
	Data      string   // folder with data/ and reference/; the results do not name it
	Corpora   []string // of PaperCorpora
	Topics    []int    // K of Figure 3
	Figures   []string // of PaperFigures
	Seeds     int      // of the randomised pipeline
	Pipelines []string // of Figure 3, of PaperPipelines
	// GrowthTopics are the K of Figure 4; nil for Topics.
	GrowthTopics []int
	GrowthSeeds  int // of Figure 4; 0 for Seeds
	// Sizes are the N of Figure 4 that are tried, besides the full vocabulary; those beyond a corpus's items are left out.
	Sizes []int
	// MaxItems leaves larger vocabularies out of Figure 4, the full one too; 0 for no limit.
	MaxItems int
	// Reduced lists, for a corpus or a pipeline, the only K that it is run with.
	Reduced map[string][]int
	Earlier []string // folders of earlier results, whose runs are taken over
	Base    int      // N of Figure 3 where items are chosen, and the base of Figure 4.3; 0 for 5,000
	Workers int
	Log     *slog.Logger
}

// Check returns an error when something unknown is asked for.
func (p Paper) Check() error {
	for _, name := range p.Corpora {
		if _, err := findPaperData(name); err != nil {
			return err
		}
	}
	for _, name := range p.Figures {
		if !slices.Contains(PaperFigures, name) {
			return fmt.Errorf("there is no figure %q: there are %s", name, strings.Join(PaperFigures, ", "))
		}
	}
	for _, name := range p.Pipelines {
		if !slices.Contains(pipelineNames, name) {
			return fmt.Errorf("there is no pipeline %q: there are %s", name, strings.Join(pipelineNames, ", "))
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
			return fmt.Errorf("a vocabulary of %d items cannot be", n)
		}
	}
	for name := range p.Reduced {
		if !slices.Contains(PaperCorpora, name) && !slices.Contains(pipelineNames, name) {
			return fmt.Errorf("%q is neither a corpus nor a pipeline: there are %s", name, strings.Join(slices.Concat(PaperCorpora, pipelineNames), ", "))
		}
	}
	if p.Seeds < 0 || p.GrowthSeeds < 0 || p.MaxItems < 0 {
		return errors.New("numbers of seeds and items cannot be negative")
	}
	return nil
}

// filled returns p with the full grid where nothing was said.
func (p Paper) filled() Paper {
	if p.Corpora == nil {
		p.Corpora = PaperCorpora
	}
	if p.Topics == nil {
		p.Topics = PaperTopics
	}
	if p.GrowthTopics == nil {
		p.GrowthTopics = p.Topics
	}
	if p.Figures == nil {
		p.Figures = PaperFigures
	}
	if p.Pipelines == nil {
		p.Pipelines = pipelineNames
	}
	if p.Sizes == nil {
		p.Sizes = PaperSizes
	}
	if p.Seeds == 0 {
		p.Seeds = PaperSeeds
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

// wants says whether k topics are run with all of what is named: corpora and pipelines.
func (p Paper) wants(k int, names ...string) bool {
	for _, name := range names {
		if only, ok := p.Reduced[name]; ok && !slices.Contains(only, k) {
			return false
		}
	}
	return true
}

// Write computes everything and writes it into dir, which it commits. The same grid gives the same numbers, but for the
// times.
func (p Paper) Write(ctx context.Context, dir *durable.Dir) error {
	if err := p.Check(); err != nil {
		return err
	}
	p = p.filled()
	from := reader{folder: p.Data, spill: dir.Path(), workers: p.Workers, log: p.Log}
	parts := []struct {
		name  string
		write func(context.Context, reader, *durable.Dir) ([]string, error)
	}{
		{Figure3, p.writeFigure3}, {Figure4, p.writeFigure4}, {Table1, p.writeTable1}, {Figure43, p.writeFigure43},
	}
	var findings []string
	for _, part := range parts {
		if !slices.Contains(p.Figures, part.name) {
			continue
		}
		lines, err := part.write(ctx, from, dir)
		if err != nil {
			return err
		}
		findings = append(findings, lines...)
	}
	if err := dir.WriteFile("README.md", p.readme(dir, findings)); err != nil {
		return err
	}
	return dir.Commit()
}

// Command returns the command line that the results were made with; DATA and RESULTS stand for the two folders.
func (p Paper) Command() string {
	p = p.filled()
	words := []string{"anchorage bench paper --data DATA -o RESULTS"}
	add := func(flag, value, usual string) {
		if value != usual {
			words = append(words, "--"+flag+" "+value)
		}
	}
	add("corpora", strings.Join(p.Corpora, ","), strings.Join(PaperCorpora, ","))
	add("figures", strings.Join(p.Figures, ","), strings.Join(PaperFigures, ","))
	add("pipelines", strings.Join(p.Pipelines, ","), strings.Join(pipelineNames, ","))
	add("topics", joinInts(p.Topics), joinInts(PaperTopics))
	add("growth-topics", joinInts(p.GrowthTopics), joinInts(p.Topics))
	for _, name := range slices.Concat(PaperCorpora, pipelineNames) {
		if reduced, ok := p.Reduced[name]; ok {
			add("reduced", name+"="+strings.ReplaceAll(joinInts(reduced), ",", ":"), "")
		}
	}
	add("sizes", joinInts(p.Sizes), joinInts(PaperSizes))
	add("max-items", strconv.Itoa(p.MaxItems), "0")
	add("seeds", strconv.Itoa(p.Seeds), strconv.Itoa(PaperSeeds))
	add("growth-seeds", strconv.Itoa(p.GrowthSeeds), strconv.Itoa(p.Seeds))
	return strings.Join(words, " ")
}

func joinInts(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ",")
}
