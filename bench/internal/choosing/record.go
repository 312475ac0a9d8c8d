// This file holds the records of drawn corpora.

package choosing

import (
	"errors"
	"strconv"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/model"
	"anchorage/model/choose"
)

// Run says what corpus is drawn; two runs with the same one are the same.
type Run struct {
	Topics        int     // K
	Strength      float64 // share of an anchor's row in its own topic: how separable topics are
	Items         int     // N
	Multiple      int     // documents per item
	Tokens        int     // mean length of a document
	Seed          uint64
	Concentration float64 // of a document's topics, each
}

// Record is what was chosen for a drawn corpus.
type Record struct {
	Run
	Chosen, Low, High int
	Basis             string
	Edge              float64
	Spectrum          string // the eigenvalues in parts of the edge, with 4 digits, down to half of it
	Seconds           float64
	Stages            []model.StageTime
}

// within is how far a choice may be off, as a share of the number, to count as right.
const within = 0.1

// right reports whether the choice is within a tenth of the truth.
func (r *Record) right() bool {
	off := r.Chosen - r.Topics
	return float64(max(off, -off)) <= within*float64(r.Topics)
}

// covered reports whether the truth is in the interval.
func (r *Record) covered() bool { return r.Low <= r.Topics && r.Topics <= r.High }

// note sets what was found.
func (r *Record) note(c *choose.Count) {
	r.Chosen, r.Low, r.High, r.Basis, r.Edge = c.Topics, c.Low, c.High, string(c.Basis), c.Edge
	var values []string
	for _, v := range c.Values {
		if v < c.Edge/2 {
			break
		}
		values = append(values, strconv.FormatFloat(v/c.Edge, 'g', 4, 64))
	}
	r.Spectrum = strings.Join(values, " ")
}

// runLog is how records are kept.
var runLog = report.Log[Run, Record]{
	Run:    func(r *Record) Run { return r.Run },
	Stages: func(r *Record) *[]model.StageTime { return &r.Stages },
	Check: func(r *Record) error {
		if r.Topics < 2 || r.Items < 1 || r.Chosen < 1 {
			return errors.New("it says nothing of topics or items")
		}
		return nil
	},
	Fields: []report.Field[Record]{
		{Name: "topics", Of: func(r *Record) any { return &r.Topics }},
		{Name: "strength", Of: func(r *Record) any { return &r.Strength }},
		{Name: "items", Of: func(r *Record) any { return &r.Items }},
		{Name: "documents_per_item", Of: func(r *Record) any { return &r.Multiple }},
		{Name: "tokens", Of: func(r *Record) any { return &r.Tokens }},
		{Name: "concentration", Of: func(r *Record) any { return &r.Concentration }},
		{Name: "seed", Of: func(r *Record) any { return &r.Seed }},
		{Name: "chosen", Of: func(r *Record) any { return &r.Chosen }},
		{Name: "low", Of: func(r *Record) any { return &r.Low }},
		{Name: "high", Of: func(r *Record) any { return &r.High }},
		{Name: "basis", Of: func(r *Record) any { return &r.Basis }},
		{Name: "edge", Of: func(r *Record) any { return &r.Edge }},
		{Name: "spectrum", Of: func(r *Record) any { return &r.Spectrum }},
		{Name: "seconds", Of: func(r *Record) any { return &r.Seconds }},
	},
}
