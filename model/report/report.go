// This file writes a report: it chooses how much detail fits, and joins the sections.

package report

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"anchorage/internal/linkage"
	"anchorage/internal/page"
	"anchorage/internal/toplist"
	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/model/itemmap"
	"anchorage/model/transform"
)

// File is the name of the report in the directory of a model.
const File = "report.html"

// MostBytes is the greatest size of a report.
const MostBytes = 3_000_000

// Options say what a report shows beside the model. The zero value is ready to use.
type Options struct {
	// Compare, if not nil, is an earlier model: the report says what became of its topics.
	Compare *model.Model
	// Trend, if not nil, shows how the topics' shares changed over time; see transform.Trends.
	Trend *transform.Trend
	// Workers is the number of goroutines that compare models; 0 means the number of processors. Results do not depend on
	// it.
	Workers int
}

// ErrSize reports that a model cannot be shown within MostBytes.
var ErrSize = errors.New("report: the model has too many topics for a report")

// detail is how much of a model a report shows.
type detail struct {
	cards    int // topics with a card, those with the greatest shares first
	listed   int // items of each kind on a card
	examples int // on a card
	figures  int // topics in the table of diagnostics
	items    int // in the table of items
	dots     int // items on the maps
	joint    int // rows of the heat map
	inputs   int // shards that are named
}

// details are tried in their order until one fits.
var details = []detail{
	{1 << 20, 20, 3, 1 << 20, 2000, 1500, 100, 50},
	{2000, 10, 3, 2000, 2000, 1200, 100, 50},
	{1500, 8, 2, 1000, 1000, 1000, 100, 20},
	{1000, 6, 1, 500, 1000, 800, 80, 20},
	{500, 6, 1, 300, 500, 500, 60, 10},
	{200, 5, 1, 100, 200, 300, 40, 10},
	{50, 5, 0, 50, 50, 100, 20, 5},
}

// report is a report that is being written.
type report struct {
	ctx    context.Context
	m      *model.Model
	opts   Options
	detail detail
	order  []int // topics by decreasing share
	drift  *drift.Drift
	all    *itemmap.Map // of all items; nil without one
	mapped int          // items of that which are drawn

	// What sections need in any detail.
	frequent []int     // items with the greatest probability
	similar  []float64 // K×K: how alike topics are; see itemmap.Similarity
	linked   []int     // topics in the order of their clusters
	hues     []int     // of each topic: that of its cluster
	x, y     []float64 // places of topics on their map; nil without a map
	kept     float64   // how much of their distances the map keeps
	lifts    []float64 // K×K: see lift
	levelsOf []level   // of each level: what is shown of it
	pairs    [][2]int  // of topics, those that occur together most, compared with chance
}

// sectionTexts has the templates of sections, and of the panel, by their names.
//
//go:embed sections.html
var sectionTexts string

var templates = template.Must(template.New("sections").Parse(sectionTexts))

// section makes a section; nil if there is nothing to show.
type section struct {
	id, title, short string
	body             func(*report) (template.HTML, error)
}

// sections are those of a report, in their order.
var sections = []section{
	{"cover", "At a glance", "", (*report).cover},
	{"read", "What was read, and what was left out", "Data", (*report).read},
	{"certificate", "Can it be relied on?", "Certificate", (*report).certificate},
	{"topics", "Topics", "", (*report).topics},
	{"levels", "Topics within topics", "Levels", (*report).levels},
	{"map", "Maps of topics and items", "Maps", (*report).maps},
	{"all", "Map of all items", "All items", (*report).places},
	{"correlations", "Topics that occur together", "Correlations", (*report).joint},
	{"drift", "What became of earlier topics", "Drift", (*report).drifted},
	{"trends", "Topics over time", "Trends", (*report).trends},
	{"items", "Leading items", "Items", (*report).items},
}

// Write writes a report of a model, as one page of HTML. m may come from model.Load or Fitted.Overview. The error is
// ErrSize, that of the writer or of ctx, or that of model.Compare.
func Write(ctx context.Context, w io.Writer, m *model.Model, opts Options) error {
	r, err := prepared(ctx, m, opts)
	if err != nil {
		return err
	}
	for _, r.detail = range details {
		for _, r.mapped = range mappedItems {
			text, err := r.page()
			if err != nil {
				return err
			}
			if len(text) < MostBytes {
				_, err = w.Write(text)
				return err
			}
			if r.all == nil {
				break
			}
		}
	}
	return ErrSize
}

func newReport(ctx context.Context, m *model.Model, opts Options) *report {
	return &report{ctx: ctx, m: m, opts: opts, order: toplist.Order(m.Shares)}
}

// Hues returns the colour of each topic in the report of a model, from 1 to 6: topics that are alike have the same. The
// error is that of ctx.
func Hues(ctx context.Context, m *model.Model, workers int) ([]int, error) {
	r := newReport(ctx, m, Options{Workers: workers})
	err := r.colour()
	return r.hues, err
}

// colour finds how alike topics are, and colours them by that.
func (r *report) colour() (err error) {
	r.hues = hued(nil, nil, r.m.Topics())
	if r.similar, err = itemmap.Similarity(r.ctx, r.m, r.opts.Workers); err != nil || r.m.Topics() < 3 {
		return err
	}
	r.linked = linkage.Order(r.similar, r.m.Topics())
	r.hues = hued(r.linked, r.similar, r.m.Topics())
	var shares [page.Hues + 1]float64 // the greatest comes first, so a step of steering leaves most colours
	for k, hue := range r.hues {
		shares[hue] += r.m.Shares[k]
	}
	order := toplist.Order(shares[1:])
	for k, hue := range r.hues {
		r.hues[k] = 1 + slices.Index(order, hue-1)
	}
	return nil
}

// prepared returns a report with what does not depend on the detail.
func prepared(ctx context.Context, m *model.Model, opts Options) (r *report, err error) {
	r = newReport(ctx, m, opts)
	r.drift, r.frequent = m.Drift, toplist.Order(m.Probability)[:min(details[0].items, len(m.Probability))]
	if opts.Compare != nil {
		if r.drift, err = m.Compare(ctx, opts.Compare, drift.Options{Workers: opts.Workers}); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(r.loadLevels(), r.openMap()); err != nil {
		return nil, err
	}
	if err := r.colour(); err != nil || m.Topics() < 3 {
		return r, err
	}
	if r.x, r.y, r.kept, err = itemmap.Scaled(ctx, r.similar, m.Topics()); err != nil {
		return nil, err
	}
	r.lifts = r.lift()
	r.pairs = leadingPairs(r.lifts, m.Topics())
	return r, ctx.Err()
}

// page returns the page in the present detail.
func (r *report) page() ([]byte, error) {
	c := &r.m.Manifest.Corpus
	p := page.Page{Title: fmt.Sprintf("%s topics of %s items in %s documents", page.Count(int64(r.m.Topics())),
		page.Count(int64(r.m.Vocabulary.Len())), page.Count(c.Documents)),
		Subtitle: "A model by Anchorage " + model.Version,
		Footer: "This page is complete: it loads nothing, sends nothing and works offline. Files of the model have all " +
			"numbers: see diagnostics.parquet, topics.parquet, items.parquet."}
	for _, s := range sections {
		if err := r.ctx.Err(); err != nil {
			return nil, err
		}
		body, err := s.body(r)
		if err != nil {
			return nil, err
		}
		if body != "" {
			p.Sections = append(p.Sections, page.Section{ID: s.id, Title: s.title, Short: s.short, Body: body})
		}
	}
	var b bytes.Buffer
	err := p.Write(&b)
	return b.Bytes(), err
}

// label names a topic.
func (r *report) label(k int) string {
	name := page.Cut(r.m.TopicLabel(k), 120)
	return strings.ToUpper(name[:1]) + name[1:]
}

// place is the id of a topic's card on the page; empty if it has none.
func (r *report) place(k int) string {
	if slices.Index(r.order, k) >= r.detail.cards {
		return ""
	}
	return fmt.Sprintf("topic-%d", k)
}

// short returns the first words of a topic's name, for pictures.
func (r *report) short(k, words int) string {
	parts := strings.Split(r.m.TopicName(k), " · ")
	return strings.Join(parts[:min(words, len(parts))], " · ")
}

// gist names a topic by its first items.
func (r *report) gist(k, count int) string { return r.gistOf(r.m.Prominent[k], count) }

// gistOf names the first items of a list.
func (r *report) gistOf(list []model.Listed, count int) string {
	var names []string
	for _, listed := range list[:min(count, len(list))] {
		names = append(names, page.Short(r.m.Name(listed.Item), 24))
	}
	return strings.Join(names, ", ")
}

// topicCell is a cell that leads to a topic.
func (r *report) topicCell(k int) page.Cell {
	return page.Cell{Text: r.label(k), Href: r.place(k)}
}

// columns returns columns by their names. One of numbers has # before its name; a note follows |.
func columns(names ...string) (list []page.Column) {
	for _, name := range names {
		name, note, _ := strings.Cut(name, "|")
		name, numeric := strings.CutPrefix(name, "#")
		list = append(list, page.Column{Name: name, Note: note, Numeric: numeric})
	}
	return list
}
