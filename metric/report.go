// This file holds the list of figures, and writes it as JSON.

package metric

import (
	"bytes"
	"encoding/json"
	"math"

	"anchorage/anchor"
)

// Figure is one figure of the register.
type Figure struct {
	*Definition
	Estimate
}

// Report holds the figures of some topics, always in the same order. Figures that cannot be computed are left out.
type Report struct {
	Figures   []Figure
	Documents int64 // M, the documents with at least two tokens
	Dense     bool  // the distances were computed from C itself and are exact
}

// add appends a figure, unless it is NaN.
func (r *Report) add(name string, e Estimate) {
	if !math.IsNaN(e.Value) {
		r.Figures = append(r.Figures, Figure{Define(OfModel, name), e})
	}
}

// AddFindings adds figures of findings: the number of topics that rest on thin evidence, the number of pairs of topics
// that are alike, the share of all weight of items that are mostly noise, and the number of blocks of topics.
func (r *Report) AddFindings(f *anchor.Findings) {
	r.add("thin_anchors", exactly(float64(len(f.ThinAnchors))))
	r.add("duplicate_topics", exactly(float64(len(f.Duplicates))))
	r.add("noisy_mass", exactly(f.NoisyMass))
	r.add("blocks", exactly(float64(max(len(f.Blocks), 1))))
}

// addLists adds the figures of lists of items, and of their pairs.
func (r *Report) addLists(lists [][]int, pairs *Pairs) {
	r.Documents = pairs.Documents
	r.add("dissimilarity", exactly(Dissimilarity(leading(lists, referenceItems))))
	r.add("topic_diversity", exactly(TopicDiversity(lists)))
	r.add("coherence_reference", exactly(ReferenceCoherence(pairs)))
	few := pairs.Leading(coherenceItems)
	r.add("coherence_umass", exactly(UMass(few)))
	r.add("coherence_npmi", exactly(NPMI(few)))
}

// Get returns a figure by its name, and whether there is one.
func (r *Report) Get(name string) (Estimate, bool) {
	for _, f := range r.Figures {
		if f.Name == name {
			return f.Estimate, true
		}
	}
	return Estimate{}, false
}

// MarshalJSON writes one flat object with the figures in their order. An estimated figure is followed by its standard
// error, under its name with _standard_error. A figure that is not finite, such as the log volume of a flat hull, is
// null.
func (r *Report) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	write := func(name string, value any) error {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		text, err := json.Marshal(value)
		b.WriteString(`"` + name + `":`)
		b.Write(text)
		return err
	}
	err := write("documents", r.Documents)
	for _, f := range r.Figures {
		if err != nil {
			break
		}
		if math.IsInf(f.Value, 0) {
			err = write(f.Name, nil)
			continue
		}
		if err = write(f.Name, f.Value); err == nil && f.StandardError > 0 {
			err = write(f.Name+"_standard_error", f.StandardError)
		}
	}
	return []byte("{" + b.String() + "}"), err
}
