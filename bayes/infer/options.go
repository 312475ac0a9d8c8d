// This file holds the options of the inference of documents.

package infer

import (
	"cmp"
	"fmt"
	"math"
)

// Prior names a distribution of documents' mixtures.
type Prior string

// The priors.
const (
	Dirichlet Prior = "dirichlet" // matched to A: see MatchDirichlet
	Uniform   Prior = "uniform"   // all mixtures alike: a Dirichlet distribution with α = 1
)

// Method names a way from a document to its mixture.
type Method string

// The methods; the package comment defines them.
const (
	Collapsed  Method = "collapsed"
	Projection Method = "projection"
)

// Options say how documents are inferred. The zero value is the default.
type Options struct {
	Prior  Prior  `json:"prior"`  // empty for Dirichlet
	Method Method `json:"method"` // empty for Collapsed
	// Tolerance ends the iterations when they move less than this share of all tokens and of the prior's concentration; 0
	// for 0.003.
	Tolerance  float64 `json:"tolerance"`
	Iterations int     `json:"iterations"` // most iterations of a document; 0 for 100
}

// OptionError reports an option out of its range, or two that contradict each other.
type OptionError struct{ Reason string }

// Error returns the reason.
func (e *OptionError) Error() string { return e.Reason }

// Complete returns the options with the defaults in place of zero values. The error is an *OptionError.
func (o Options) Complete() (Options, error) {
	o.Prior, o.Method = cmp.Or(o.Prior, Dirichlet), cmp.Or(o.Method, Collapsed)
	o.Tolerance, o.Iterations = cmp.Or(o.Tolerance, 3e-3), cmp.Or(o.Iterations, 100)
	switch {
	case o.Prior != Dirichlet && o.Prior != Uniform:
		return o, &OptionError{fmt.Sprintf("there is no prior %q: the priors are %s and %s", o.Prior, Dirichlet, Uniform)}
	case o.Method != Collapsed && o.Method != Projection:
		return o, &OptionError{fmt.Sprintf("there is no method %q: the methods are %s and %s", o.Method,
			Collapsed, Projection)}
	case !(o.Tolerance > 0 && o.Tolerance < 1) || o.Iterations < 0:
		return o, &OptionError{fmt.Sprintf("the tolerance must be between 0 and 1 and the iterations positive, not %v and %d",
			o.Tolerance, o.Iterations)}
	}
	return o, nil
}

// unknown is the logarithm of the greatest value in the row of an item that no topic has.
var unknown = math.Inf(-1)
