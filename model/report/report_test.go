// This file tests that reports are complete, safe and small.

package report_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"anchorage/corpus"
	"anchorage/internal/long"
	"anchorage/matrix"
	"anchorage/metric"
	"anchorage/model"
	"anchorage/model/drift"
	"anchorage/model/report"
	"anchorage/model/transform"
	"anchorage/rectify"
)

var hostile = []string{`</style></script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`,
	"\u202eevil\u2066", "a\x00b", strings.Repeat("<b>é", 2500), "\xff\xfe", "{{.}}", "--><!--"}

// drawn returns a model of n items and k topics with names that a data set may have.
func drawn(n, k int) *model.Model {
	m := &model.Model{Vocabulary: corpus.NewVocabulary(), Mixtures: matrix.NewTall(n, k), Items: matrix.NewTall(n, k)}
	for i := range n {
		name := fmt.Sprintf("item-%d", i)
		if i%5 == 0 {
			name = hostile[i/5%len(hostile)] + name
		}
		m.Vocabulary.Intern([]byte(name))
		m.DocumentFrequency, m.TermFrequency = append(m.DocumentFrequency, int64(n-i)), append(m.TermFrequency, int64(n))
		m.Probability, m.Reliability = append(m.Probability, 1/float64(n)), append(m.Reliability, 0.9)
		m.WeightedProbability = append(m.WeightedProbability, 1/float64(n))
		m.Mixtures.Row(i)[i%k] = 0.75
		m.Mixtures.Row(i)[(i+1)%k] += 0.25
		m.Items.Row(i)[i%k] = float64(k) / float64(n)
	}
	d := &model.Diagnostics{Map: new(model.Map)}
	for range metric.Defined(metric.OfTopic) {
		d.Figures = append(d.Figures, slices.Repeat([]float64{0.123}, k))
	}
	m.TopicJoint = make([]float64, k*k)
	for topic := range k {
		var list []model.Listed
		for rank := range model.TopItems {
			list = append(list, model.Listed{Item: (topic + rank*k) % n, Probability: 1 / float64(rank+2),
				Weighted: 1 / float64(rank+2)})
		}
		m.Prominent, m.Characteristic = append(m.Prominent, list), append(m.Characteristic, list)
		m.Shares, m.Anchors = append(m.Shares, 1/float64(k)), append(m.Anchors, topic)
		m.Pivots, m.Margins, m.AnchorSampleSizes = append(m.Pivots, 1), append(m.Margins, 0.1),
			append(m.AnchorSampleSizes, 30)
		m.TopicIDs = append(m.TopicIDs, topic)
		for other := range k {
			m.TopicJoint[topic*k+other] = (1 + math.Cos(float64(topic-other))) / float64(k*k)
		}
		d.Examples = append(d.Examples, []model.ExampleDocument{{Shard: hostile[0], Row: 1, Share: 0.9, ID: hostile[1],
			Text: hostile[4]}})
		m.Eigen.Values = append(m.Eigen.Values, 1/float64(topic+1))
	}
	for i := range min(n, 1500) {
		at := float64(i)
		d.Map.Items = append(d.Map.Items, i)
		d.Map.X, d.Map.Y = append(d.Map.X, math.Sin(at)), append(d.Map.Y, math.Cos(at))
		d.Map.BeforeX, d.Map.BeforeY = append(d.Map.BeforeX, math.Sin(at)), append(d.Map.BeforeY, math.Cos(at))
	}
	for i := range 19 {
		m.Course = append(m.Course, rectify.Iteration{Change: math.Pow(0.5, float64(i)),
			CorrectionsSum: math.Pow(0.4, float64(i))})
	}
	m.Diagnostics = d
	m.Manifest.Corpus = corpus.Account{DocumentsRead: int64(n), Documents: int64(n), Items: n, Tokens: int64(n)}
	m.Manifest.Inputs = []corpus.Input{{Path: hostile[0], Documents: int64(n)}}
	m.Manifest.Rectify = &model.RectifyRecord{Method: "enn", Iterations: 19, Converged: true}
	m.Manifest.Certificate = &model.Certificate{Verdict: model.Good,
		Figures: []model.Figure{{Name: "explained", Value: 0.9, Threshold: 0.7, Verdict: model.Good}}}
	m.Manifest.Diagnostics = &model.DiagnosticsRecord{Documents: int64(n), Sampled: int64(n)}
	return m
}

// written returns the report of a model.
func written(t *testing.T, m *model.Model, opts report.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Write(context.Background(), &b, m, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// elements calls fn with all elements of a page.
func elements(t *testing.T, text string, fn func(xml.StartElement)) {
	t.Helper()
	text = regexp.MustCompile(`(?s)<script>.*?</script>|<!DOCTYPE html>`).ReplaceAllString(text, "")
	text = regexp.MustCompile(` (hidden|open|data-sort|data-theme-switch)([ >])`).ReplaceAllString(text, ` $1=""$2`)
	decoder := xml.NewDecoder(strings.NewReader(text))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok {
			fn(start)
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func TestReportIsSafeAndLinksLeadSomewhere(t *testing.T) {
	text := written(t, drawn(400, 12), report.Options{})
	ids, links, tables := make(map[string]bool), make(map[string]bool), 0
	elements(t, text, func(e xml.StartElement) {
		switch e.Name.Local {
		case "script", "img", "iframe", "object", "link", "form", "base":
			t.Errorf("the page has an element %s", e.Name.Local)
		case "table":
			tables++
		}
		for _, a := range e.Attr {
			if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "style" || a.Name.Local == "src" {
				t.Errorf("%s has the attribute %s", e.Name.Local, a.Name.Local)
			}
		}
		if id := attribute(e, "id"); id != "" {
			if ids[id] {
				t.Errorf("two elements have the id %s", id)
			}
			ids[id] = true
		}
		if href := attribute(e, "href"); href != "" {
			links[href] = true
		}
	})
	for href := range links {
		if !strings.HasPrefix(href, "#") || !ids[href[1:]] {
			t.Errorf("a link leads to %s", href)
		}
	}
	for _, id := range []string{"cover", "read", "certificate", "topics", "topic-0", "topic-11", "diagnostics", "map", "topic-map",
		"items-rectified", "items-counted", "correlations", "joint", "item-table",
		"item-table-search"} {
		if !ids[id] {
			t.Errorf("nothing has the id %s", id)
		}
	}
	if tables < 7 {
		t.Errorf("there are only %d tables behind charts and lists", tables)
	}
	for _, r := range text {
		if r == 0 || r == '\u202e' || r == '\u2066' || r == utf8.RuneError {
			t.Errorf("the page has the character %U", r)
		}
	}
	order := -1
	for _, id := range []string{"cover", "read", "certificate", "topics", "map", "correlations", "items"} {
		at := strings.Index(text, `<section id="`+id+`"`)
		if at < order {
			t.Errorf("section %s is out of order", id)
		}
		order = at
	}
	for _, data := range []string{`<pre hidden>{"shown":20,`, `{"id":"topic-11","hue":`} {
		if !strings.Contains(text, data) {
			t.Errorf("the panel of topics has no %s", data)
		}
	}
	if again := written(t, drawn(400, 12), report.Options{Workers: 3}); again != text {
		t.Error("equal models have different reports")
	}
}

// A report stays small, and says what it leaves out.
func TestReportOfManyTopicsIsSmall(t *testing.T) {
	for _, k := range long.Grid(1, 400, 1000) {
		text := written(t, drawn(20*k, k), report.Options{})
		if len(text) >= report.MostBytes {
			t.Errorf("K = %d: the report has %d bytes", k, len(text))
		}
		if k >= 400 && !strings.Contains(text, "To keep the page small") {
			t.Error("the report does not say what it leaves out")
		}
		elements(t, text, func(xml.StartElement) {})
		t.Logf("K = %d: %d bytes", k, len(text))
	}
}

// A model of an earlier version, or of another method, has less to show.
func TestReportOfLittle(t *testing.T) {
	m := drawn(100, 4)
	m.Diagnostics, m.Anchors, m.Characteristic, m.Eigen.Values, m.Reliability = nil, nil, nil, nil, nil
	m.Manifest.Certificate, m.Manifest.Rectify, m.Manifest.Diagnostics = nil, nil, nil
	text := written(t, m, report.Options{})
	for _, id := range []string{"certificate", "drift", "trends"} {
		if strings.Contains(text, `<section id="`+id+`"`) {
			t.Errorf("there is a section %s with nothing to show", id)
		}
	}
	for _, k := range []int{2, 3} {
		written(t, drawn(30, k), report.Options{})
	}
}

// TestDriftFlow has a topic of which the id is that of another topic then: bands join what belongs together, and a
// whole has no band beside those of its parts.
func TestDriftFlow(t *testing.T) {
	m := drawn(100, 4)
	m.TopicIDs = []int{5, 8, 3, 4}
	topic := func(kind drift.Kind, then, now, thenID, nowID, whole int) drift.Topic {
		one := drift.Topic{Kind: kind, Then: then, Now: now, ThenID: thenID, NowID: nowID, Whole: whole,
			Prominent: []string{fmt.Sprintf("then %d", thenID)}}
		if then >= 0 {
			one.ShareThen = 0.25
		}
		if now >= 0 {
			one.ShareNow = 0.25
		}
		return one
	}
	m.Drift = &drift.Drift{Topics: []drift.Topic{topic(drift.Merged, 0, -1, 7, -1, 5), topic(drift.Merged, 1, -1, 6, -1, 5),
		topic(drift.Kept, 2, 1, 5, 8, -1), topic(drift.Split, 3, -1, 4, -1, 4), topic(drift.Merged, -1, 0, -1, 5, 5),
		topic(drift.Split, -1, 2, -1, 3, 4), topic(drift.Split, -1, 3, -1, 4, 4)}}
	text := written(t, m, report.Options{})
	if !strings.Contains(text, `<th scope="row"><bdi>then 7</bdi></th><td>merged into 5</td>`) {
		t.Error("a topic that is no more has no name in the table")
	}
	_, text, _ = strings.Cut(text, `id="drift-flow"`)
	text, _, _ = strings.Cut(text, "</svg>")
	var bands []string
	for _, found := range regexp.MustCompile(`<path class="(band|thread)[^>]*><title>(then \d).* → .*(topic \d|part of \d|%)`).
		FindAllStringSubmatch(text, -1) {
		bands = append(bands, found[1]+" from "+found[2])
	}
	slices.Sort(bands)
	want := []string{"band from then 4", "band from then 4", "band from then 6", "band from then 7", "thread from then 5"}
	if !slices.Equal(bands, want) {
		t.Errorf("bands %q, want %q", bands, want)
	}
}

func TestReportOfDriftAndTrends(t *testing.T) {
	trend := &transform.Trend{Period: transform.Month, Topics: 4, Documents: 30}
	for month := range 5 {
		shares := []float64{0.1 + 0.1*float64(month), 0.5 - 0.1*float64(month), 0.3, 0.1}
		trend.Rows = append(trend.Rows, transform.PeriodRow{Start: time.Date(2026, time.Month(month+1), 1, 0, 0, 0, 0,
			time.UTC), Documents: 6, Shares: shares, Errors: make([]float64, 4)})
	}
	text := written(t, drawn(100, 4), report.Options{Compare: drawn(100, 5), Trend: trend})
	for _, want := range []string{`<section id="drift"`, "of 5 topics kept", `<section id="trends"`, "2026-05-01"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %s", want)
		}
	}
}

func TestReportEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := report.Write(ctx, io.Discard, drawn(100, 4), report.Options{}); err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
}
