// This file holds the options of the inference of documents.

package infer

import (
	"fmt"
	"math"
	"strings"
)

// Prior names a distribution of documents' mixtures.
type Prior string

// The priors.
const (
	Dirichlet      Prior = "dirichlet"       // matched to A: see MatchDirichlet
	Uniform        Prior = "uniform"         // all mixtures alike: a Dirichlet distribution with α = 1
	LogisticNormal Prior = "logistic-normal" // matched to A: see MatchLogisticNormal
)

// Method names a way from a document to its mixture.
type Method string

// The methods; the package comment defines them. A logistic-normal prior has a mode and no other method.
const (
	Collapsed   Method = "collapsed"
	Variational Method = "variational"
	Mode        Method = "mode"
	Projection  Method = "projection"
)

// methods is the table of the methods: for each, the priors that it works with, the first of them by default.
var methods = []struct {
	Method
	priors  []Prior
	summary string
	infer   func(*Worker)
}{
	{Collapsed, []Prior{Dirichlet, Uniform}, "posterior means, each token given all others", (*Worker).collapse},
	{Variational, []Prior{Dirichlet, Uniform}, "posterior means of a Dirichlet distribution fitted as bayes models fit theirs", (*Worker).vary},
	{Mode, []Prior{LogisticNormal}, "the mode under a logistic-normal prior", (*Worker).climb},
	{Projection, []Prior{Dirichlet, Uniform}, "one multiplication, the mean over tokens of p(topic | item)", (*Worker).project},
}

// Methods returns the names of all methods.
func Methods() []Method {
	var names []Method
	for _, m := range methods {
		names = append(names, m.Method)
	}
	return names
}

// Summary describes the method in one line.
func (m Method) Summary() string {
	for _, known := range methods {
		if known.Method == m {
			return known.summary
		}
	}
	return ""
}

// Priors returns the names of all priors.
func Priors() []Prior { return []Prior{Dirichlet, Uniform, LogisticNormal} }

// Options say how documents are inferred. The zero value stands for the defaults.
type Options struct {
	Prior  Prior  `json:"prior"`  // empty for Dirichlet, or for that of the method
	Method Method `json:"method"` // empty for Collapsed, or Mode with a logistic-normal prior
	// Tolerance ends the iterations when they move less than this share of all tokens and of the prior's concentration; 0 for 0.003.
	Tolerance  float64 `json:"tolerance"`
	Iterations int     `json:"iterations"` // most iterations of a document; 0 for 100
}

// OptionError reports an option out of its range, or two that contradict each other.
type OptionError struct{ Reason string }

// Error returns the reason.
func (e *OptionError) Error() string { return e.Reason }

// Complete returns the options with the defaults in place of zero values. The error is an *OptionError.
func (o Options) Complete() (Options, error) {
	if o.Method == "" {
		o.Method = Collapsed
		if o.Prior == LogisticNormal {
			o.Method = Mode
		}
	}
	if o.Tolerance == 0 {
		o.Tolerance = 3e-3
	}
	if o.Iterations == 0 {
		o.Iterations = 100
	}
	if !(o.Tolerance > 0 && o.Tolerance < 1) || o.Iterations < 0 {
		return o, &OptionError{fmt.Sprintf("the tolerance must be between 0 and 1 and the iterations positive, not %v and %d", o.Tolerance, o.Iterations)}
	}
	var names []string
	for _, m := range methods {
		names = append(names, string(m.Method))
		if m.Method != o.Method {
			continue
		}
		if o.Prior == "" {
			o.Prior = m.priors[0]
		}
		for _, prior := range m.priors {
			if prior == o.Prior {
				return o, nil
			}
		}
		return o, &OptionError{fmt.Sprintf("the method %s has no prior %q: it works with %s", o.Method, o.Prior, list(m.priors))}
	}
	return o, &OptionError{fmt.Sprintf("there is no method %q: the methods are %s", o.Method, strings.Join(names, ", "))}
}

func list(priors []Prior) string {
	var names []string
	for _, p := range priors {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}

// unknown is the logarithm that stands beside the rows of items that no topic has.
var unknown = math.Inf(-1)
