package transform_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"anchorage/bayes/infer"
	"anchorage/corpus"
	"anchorage/internal/random"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/transform"
	"anchorage/shard"
	"anchorage/shard/tablefile"
)

// learned returns a model of three topics of four words each, and its Transformer.
func learned(t *testing.T) (*model.Model, *transform.Transformer) {
	t.Helper()
	var documents []corpus.Document
	for d := range 300 {
		var items []string
		for i := range 12 {
			topic := d % 3
			if random.Uniform(1, random.Test, uint64(d), uint64(i)) < 0.2 {
				topic = (topic + 1) % 3
			}
			items = append(items, fmt.Sprintf("w%d%d", topic, random.At(2, random.Test, uint64(d), uint64(i))%4))
		}
		documents = append(documents, corpus.Document{Items: items})
	}
	docs, err := corpus.FromDocuments(t.Context(), documents, corpus.Everything())
	if err != nil {
		t.Fatal(err)
	}
	defer docs.Close()
	fitted, err := fit.Fit(t.Context(), docs, fit.Options{Topics: 3, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := fitted.Loaded()
	transformer, err := transform.New(m, infer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m, transformer
}

// discovered returns the shard with the given content.
func discovered(t *testing.T, name, content string) []shard.Shard {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
	shards, err := shard.Discover(t.Context(), []string{path}, shard.Options{Names: true})
	if err != nil {
		t.Fatal(err)
	}
	return shards
}

// row is a row of a table of documents.
type row struct {
	id             string
	mixture        []float32
	top            int32
	deviation      float32
	known, unknown int64
	log            float64
	time           int64
}

// rows reads a table of documents.
func rows(t *testing.T, path string, timed bool) (all []row) {
	t.Helper()
	fields := []tablefile.Field{{Name: "doc_id", Type: tablefile.String}, {Name: "mixture", Type: tablefile.Float32List,
		Width: 3}, {Name: "top_topic", Type: tablefile.Int32},
		{Name: "deviation", Type: tablefile.Float32}, {Name: "known_tokens", Type: tablefile.Int64},
		{Name: "unknown_tokens", Type: tablefile.Int64},
		{Name: "log_likelihood", Type: tablefile.Float64}}
	if timed {
		fields = append(fields, tablefile.Field{Name: "time", Type: tablefile.Int64})
	}
	err := tablefile.Read(t.Context(), path, fields, func(_ int64, c []any) error {
		for d, id := range c[0].([]string) {
			r := row{id, append([]float32(nil), c[1].([]float32)[3*d:3*d+3]...), c[2].([]int32)[d], c[3].([]float32)[d],
				c[4].([]int64)[d], c[5].([]int64)[d],
				c[6].([]float64)[d], 0}
			if timed {
				r.time = c[7].([]int64)[d]
			}
			all = append(all, r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWrite compares tables with what the Transformer says of each document.
func TestWrite(t *testing.T) {
	m, transformer := learned(t)
	var lines strings.Builder
	var documents [][]string
	for d := range 500 {
		var items []string
		for i := range d % 7 {
			items = append(items, fmt.Sprintf("w%d%d", (d+i*i)%4, i)) // w3… is unknown
		}
		documents = append(documents, items)
		fmt.Fprintf(&lines, "{\"id\": \"d%d\", \"items\": [%s], \"at\": %d}\n", d, `"`+strings.Join(items, `", "`)+`"`,
			1700000000+86400*d)
	}
	shards := discovered(t, "a.jsonl", strings.ReplaceAll(lines.String(), `[""]`, `[]`))
	one, two := filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "two")
	manifest, err := transform.Write(t.Context(), m, transformer, shards, one,
		transform.Options{TimeColumn: "at", Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := transform.Write(t.Context(), m, transformer, shards, two,
		transform.Options{TimeColumn: "at", Workers: 5}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"part-00000.parquet", "manifest.json"} {
		a, errA := os.ReadFile(filepath.Join(one, name))
		b, errB := os.ReadFile(filepath.Join(two, name))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s depends on the number of workers (%v, %v)", name, errA, errB)
		}
	}
	found := rows(t, filepath.Join(one, "part-00000.parquet"), true)
	if len(found) != len(documents) || manifest.Record.Documents != 500 || manifest.Record.Inputs[0].Documents != 500 {
		t.Fatalf("%d rows, manifest %+v", len(found), manifest.Record)
	}
	var known int64
	for d, r := range found {
		var want transform.DocumentTopics
		transformer.Transform(&want, documents[d], nil)
		sum := float32(0)
		for k, v := range r.mixture {
			sum += v
			if math.Abs(float64(v-want.Mixture[k])) > 2e-3 { // the order of the items differs
				t.Fatalf("document %d: %v, want %v", d, r.mixture, want.Mixture)
			}
		}
		if r.id != fmt.Sprintf("d%d", d) || int(r.top) != want.Top || r.known != want.Known || r.unknown != want.Unknown ||
			math.Abs(float64(sum)-1) > 1e-5 {
			t.Fatalf("document %d: %+v, want %+v", d, r, want)
		}
		if math.IsNaN(r.log) != (r.known == 0) || r.time != (1700000000+86400*int64(d))*1e6 ||
			!(r.deviation > 0 && r.deviation < 0.5) {
			t.Fatalf("document %d: %+v", d, r)
		}
		known += r.known
	}
	if known != manifest.Record.Known {
		t.Errorf("%d known tokens, the manifest has %d", known, manifest.Record.Known)
	}
	if _, err := transform.Write(t.Context(), m, transformer, shards, one, transform.Options{}); !errors.Is(err,
		model.ErrExists) {
		t.Errorf("writing to an existing directory: %v", err)
	}
}

// TestTrendsHoldTheTruth draws documents of known shares per day, and counts the intervals that hold them.
func TestTrendsHoldTheTruth(t *testing.T) {
	m, transformer := learned(t)
	const days, perDay, tokens = 40, 60, 60
	topicOf := map[string]int{} // which topic has the words w0…
	for k, names := range transform.Names(m) {
		topicOf[names[0][:2]] = k
	}
	if len(topicOf) != 3 {
		t.Fatalf("the topics are %v", transform.Names(m))
	}
	truth := make([][3]float64, days)
	var lines strings.Builder
	lines.WriteString("doc_id,item,day\n")
	for d := range days * perDay {
		day := d / perDay
		p := 0.2 + 0.6*float64(day)/days // of the words w0…
		truth[day][topicOf["w0"]], truth[day][topicOf["w1"]], truth[day][topicOf["w2"]] = p, (1-p)/2, (1-p)/2
		// A document has one main subject or another, so that shares vary between documents.
		main, u := 2, random.Uniform(3, random.Test, uint64(d), 0)
		if u < p {
			main = 0
		} else if u < p+(1-p)/2 {
			main = 1
		}
		for i := range tokens {
			fmt.Fprintf(&lines, "%d,w%d%d,%s\n", d, main, random.At(4, random.Test, uint64(d), uint64(i))%4,
				time.Date(2024, 1, 1+day, 0, 0, 0, 0, time.UTC).Format("2006-01-02"))
		}
	}
	dir := filepath.Join(t.TempDir(), "documents")
	if _, err := transform.Write(t.Context(), m, transformer, discovered(t, "a.csv", lines.String()), dir,
		transform.Options{TimeColumn: "day"}); err != nil {
		t.Fatal(err)
	}
	trend, err := transform.Trends(t.Context(), dir, transform.Day)
	if err != nil {
		t.Fatal(err)
	}
	if len(trend.Rows) != days || trend.Documents != days*perDay {
		t.Fatalf("%d periods of %d documents", len(trend.Rows), trend.Documents)
	}
	held := 0
	for i := range trend.Rows {
		sum := 0.0
		for k, share := range trend.Rows[i].Shares {
			sum += share
			if low, high := trend.Rows[i].Interval(k); low <= truth[i][k] && truth[i][k] <= high {
				held++
			}
		}
		if math.Abs(sum-1) > 1e-5 {
			t.Errorf("the shares of a period sum to %v", sum)
		}
	}
	if share := float64(held) / (3 * days); share < 0.85 {
		t.Errorf("95 %% intervals hold the truth in %.0f %% of the cases", 100*share)
	}
	if movers := trend.Movers(1); len(movers) != 1 || movers[0] != topicOf["w0"] {
		t.Errorf("the topic that changed most is %v, not %d", movers, topicOf["w0"])
	}
	for _, of := range []struct {
		period                        transform.Period
		start, earliest, ends, latest string
		first, last                   bool
	}{{transform.Month, "2024-01-01", "2024-01-01", "2024-02-01", "2024-02-29", false, false},
		{transform.Month, "2024-01-01", "2024-01-09", "2024-02-01", "2024-02-12", true, true},
		{transform.Week, "2024-01-01", "2024-01-01", "2024-01-08", "2024-01-12", false, true},
		{transform.Year, "2023-01-01", "2023-03-01", "2024-01-01", "2024-12-20", true, false}} {
		day := func(text string) time.Time {
			t, _ := time.Parse(time.DateOnly, text)
			return t
		}
		trend := transform.Trend{Period: of.period, Earliest: day(of.earliest), Latest: day(of.latest),
			Rows: []transform.PeriodRow{{Start: day(of.start)}, {Start: day(of.ends)}}}
		if first, last := trend.Partial(); first != of.first || last != of.last {
			t.Errorf("%v: partial are %v, %v", of, first, last)
		}
	}
	if err := trend.WriteTable(io.Discard); err != nil {
		t.Fatal(err)
	}
	weeks, err := transform.Trends(t.Context(), dir, transform.Week)
	if err != nil || len(weeks.Rows) != 6 || weeks.Rows[0].Start.Weekday() != time.Monday {
		t.Errorf("weeks: %v, %v", weeks, err)
	}
}

func TestParseTime(t *testing.T) {
	day := time.Date(2024, 5, 31, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2024-05-31": day, "20240531": day, "2024/05/31": day, "05/31/2024": day, "31.05.2024": day, "2024": day.AddDate(0, -4, -30), "31.5.2024": day, "5/31/2024 0:00": day, "2024-05": day.AddDate(0, 0, -30),
		"2024-05-31T12:30:00+02:00": day.Add(10*time.Hour + 30*time.Minute),
		"2024-05-31 12:30:00":       day.Add(12*time.Hour + 30*time.Minute),
		"19874":                     day, "1717113600": day, "1717113600000": day, "1717113600000000": day,
		"1717113600000000000": day,
		"1717113600.5":        day.Add(time.Second / 2),
	} {
		if got, err := transform.ParseTime(text); err != nil || got != want.UnixMicro() {
			t.Errorf("%s: %v (%v), want %v", text, time.UnixMicro(got).UTC(), err, want)
		}
	}
	if got, err := transform.ParseTime(""); got != transform.NoTime || err != nil {
		t.Errorf("no text: %v, %v", got, err)
	}
	for _, text := range []string{"yesterday", "2024-13-01", "1e30", "nan", "2024"[:0] + "x"} {
		if got, err := transform.ParseTime(text); err == nil {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// FuzzParseTime wants an error or a time, and no panic.
func FuzzParseTime(f *testing.F) {
	for _, text := range []string{"", "2024-05-31", "1717113600", "-1e18", "2024-05-31T12:30:00+02:00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if micros, err := transform.ParseTime(text); err == nil && micros != transform.NoTime {
			for _, p := range transform.Periods {
				if start := transform.StartOf(p, micros); start.After(time.UnixMicro(micros)) {
					t.Errorf("%s: the %s begins at %v", text, p, start)
				}
			}
		}
	})
}

// TestCancelled wants nothing to be left.
func TestCancelled(t *testing.T) {
	m, transformer := learned(t)
	ctx, cancel := context.WithCancel(t.Context())
	shards := discovered(t, "a.jsonl", `{"items": ["w00"]}`)
	cancel()
	dir := filepath.Join(t.TempDir(), "documents")
	if _, err := transform.Write(ctx, m, transformer, shards, dir, transform.Options{}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a cancelled run left a directory")
	}
}
