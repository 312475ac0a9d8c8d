// This file writes a choice as a directory.

package choose

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"

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
