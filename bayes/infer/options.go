// This file holds the options of the inference of documents.

package infer

import (
	"cmp"
	"fmt"
)

// Options say how documents are inferred. The zero value is the default.
type Options struct {
	// Tolerance ends the iterations when they move less than this share of all tokens and of the prior's concentration; 0
	// for 0.003.
	Tolerance  float64 `json:"tolerance"`
	Iterations int     `json:"iterations"` // most iterations of a document; 0 for 100
}

// Complete returns the options with the defaults in place of zero values. The error says which option is out of its
// range.
func (o Options) Complete() (Options, error) {
	o.Tolerance, o.Iterations = cmp.Or(o.Tolerance, 3e-3), cmp.Or(o.Iterations, 100)
	if !(o.Tolerance > 0 && o.Tolerance < 1) || o.Iterations < 0 {
		return o, fmt.Errorf("the tolerance must be between 0 and 1 and the iterations positive, not %v and %d",
			o.Tolerance, o.Iterations)
	}
	return o, nil
}
