// This file holds the table of figures, each with a name, a sentence for readers and a value, over which CSV,
// Parquet, JSON, pages and charts range, and writes a choice as a directory.

package choose

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/fit"
)

// Kind is the kind of directory in a manifest.
const Kind = "anchorage/choice"

// layoutVersion is the version of the directory's layout.
const layoutVersion = 1

// Manifest says what a choice was made from.
type Manifest struct {
	Kind    string               `json:"kind"`
	Layout  int                  `json:"layout"`
	Program string               `json:"program"`
	Seed    uint64               `json:"seed"`
	Inputs  []corpus.Input       `json:"inputs"`
	Skipped []corpus.Skipped     `json:"skipped"`
	Corpus  corpus.Account       `json:"corpus"`
	Choice  model.ChoiceRecord   `json:"choice"`
	Outputs []model.OutputRecord `json:"outputs"`
}

// SaveTo writes choose.csv and choose.json with the figures, index.html with charts for readers, manifest.json, and
// run.json with the times, and completes the directory.
func (c *Choice) SaveTo(out *model.Output) error {
	for _, file := range []struct {
		name  string
		write func(io.Writer) error
	}{{"choose.csv", c.WriteCSV}, {"choose.json", c.WriteJSON}, {"index.html", c.WritePage}} {
		if err := out.WriteFile(file.name, file.write); err != nil {
			return err
		}
	}
	// What may differ between equal runs: among it, how long each candidate took.
	type solved struct {
		Topics  int     `json:"topics"`
		Seconds float64 `json:"seconds"`
	}
	run := struct {
		fit.RunRecord
		Solved []solved `json:"solved"`
	}{RunRecord: c.run.Record()}
	for _, candidate := range c.Candidates {
		run.Solved = append(run.Solved, solved{candidate.Topics, candidate.Seconds})
	}
	manifest := c.Manifest
	manifest.Choice, manifest.Outputs = c.ChoiceRecord, out.Files()
	if err := out.WriteJSON("run.json", run); err != nil {
		return err
	}
	if err := out.WriteJSON(model.ManifestFile, manifest); err != nil {
		return err
	}
	return out.Commit()
}

// WriteJSON writes the choice, the spectrum and the figures as an object.
func (c *Choice) WriteJSON(w io.Writer) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(c)
}

// MarshalJSON writes what WriteJSON does.
func (c *Choice) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Choice     model.ChoiceRecord `json:"choice"`
		Documents  int64              `json:"documents"`
		Held       int                `json:"held_out_documents"`
		HeldTokens int64              `json:"hidden_tokens"`
		Values     []float64          `json:"eigenvalues"`
		Candidates []Candidate        `json:"candidates"`
	}{c.ChoiceRecord, c.Documents, c.Held, c.HeldTokens, c.Values, c.Candidates})
}

// WriteCSV writes a row per candidate. Unknown figures are empty.
func (c *Choice) WriteCSV(w io.Writer) error {
	header, rows := c.rows((*figure).text)
	all := [][]string{slices.Insert(header, 1, "recommended")}
	for i, row := range rows {
		all = append(all, slices.Insert(row, 1, fmt.Sprint(c.Candidates[i].Topics == c.Topics)))
	}
	return csv.NewWriter(w).WriteAll(all)
}

// figure is a column of the table.
type figure struct {
	name  string
	whole bool // a whole number
	value func(*Candidate) float64
	help  string
	chart string // the title of its panel; empty for none
}

// figures are the columns, after topics.
var figures = []figure{
	{"gap", false, func(c *Candidate) float64 { return c.Gap }, "eigenvalue K of the co-occurrences by the next one; 1 " +
		"where no gap shows", ""},
	{"above_noise", false, func(c *Candidate) float64 { return c.AboveNoise },
		"eigenvalue K by the greatest that noise has; topics are above 1", ""},
	{"iterations", true, func(c *Candidate) float64 { return float64(c.Iterations) }, "of the rectification", ""},
	{"change", false, func(c *Candidate) float64 { return c.Change }, "of its last step, relative", ""},
	{"settled", true, func(c *Candidate) float64 { return map[bool]float64{true: 1}[c.Settled] },
		"1 if the rectification came to rest", ""},
	{"epsilon", false, func(c *Candidate) float64 { return c.Epsilon },
		"ε: how negative the entries are that the rectification leaves", ""},
	{"log_likelihood", false, func(c *Candidate) float64 { return c.LogLikelihood },
		"mean of ln p of a hidden token of held-out documents", "held-out ln p per token"},
	{"log_likelihood_error", false, func(c *Candidate) float64 { return c.LikelihoodError },
		"its standard error over documents", ""},
	{"npmi", false, func(c *Candidate) float64 { return c.NPMI }, "coherence of the first 10 prominent items of each " +
		"topic", "coherence (NPMI)"},
	{"diversity", false, func(c *Candidate) float64 { return c.Diversity },
		"share of distinct items among the first 25 prominent ones, or as many as are listed", "diversity"},
	{"thin", true, func(c *Candidate) float64 { return float64(c.Thin) }, "topics whose anchors rest on little",
		"thin topics"},
	{"duplicates", true, func(c *Candidate) float64 { return float64(c.Duplicates) },
		"pairs of topics that share half of their prominent items", ""},
}

// text returns a value as exactly as it is known; nothing if it is unknown or not finite.
func (f *figure) text(c *Candidate) string {
	v := f.value(c)
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0) || c.Failure != "" && f.whole:
		return ""
	case f.whole:
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// short returns a value for people.
func (f *figure) short(c *Candidate) string {
	text := f.text(c)
	if text == "" || f.whole {
		return text
	}
	return fmt.Sprintf("%.3g", f.value(c))
}

// MarshalJSON writes the figures by their names, unknown ones as null, without the seconds.
func (c Candidate) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"topics":%d`, c.Topics)
	for _, f := range figures {
		text := f.text(&c)
		if text == "" {
			text = "null"
		}
		fmt.Fprintf(&b, `,%q:%s`, f.name, text)
	}
	if c.Failure != "" {
		failure, err := json.Marshal(c.Failure)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, `,"failure":%s`, failure)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
