// This file holds the flags that say how the topics of documents are inferred.

package main

import (
	"strings"

	"github.com/spf13/pflag"

	"anchorage/bayes/infer"
)

// inferFlags say how documents are inferred.
type inferFlags struct {
	options       infer.Options
	prior, method string
	timeColumn    string
}

// add adds the flags.
func (f *inferFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.prior, "prior", "", "distribution of documents' mixtures: dirichlet and logistic-normal have the moments of the model's A, uniform takes all mixtures as equally likely (default dirichlet)")
	flags.StringVar(&f.method, "method", "", inferMethodHelp()+" (default collapsed, or mode with the prior logistic-normal)")
	flags.Float64Var(&f.options.Tolerance, "tolerance", 0, "iterations of a document end when they move less than this share of its tokens and of the prior's concentration (default 0.003)")
	flags.IntVar(&f.options.Iterations, "iterations", 0, "most iterations of a document (default 100)")
	f.addTime(flags)
}

// addTime adds the flag of the column of times.
func (f *inferFlags) addTime(flags *pflag.FlagSet) {
	flags.StringVar(&f.timeColumn, "time-column", "", "column or field with the time of each document, for anchorage trends: a date, RFC 3339, or a number since 1970")
}

// complete returns the options.
func (f *inferFlags) complete() (infer.Options, error) {
	f.options.Prior, f.options.Method = infer.Prior(f.prior), infer.Method(f.method)
	o, err := f.options.Complete()
	if err != nil {
		return o, &usageError{err}
	}
	return o, nil
}

// inferMethodHelp lists the methods.
func inferMethodHelp() string {
	var lines []string
	for _, m := range infer.Methods() {
		lines = append(lines, string(m)+": "+m.Summary())
	}
	return strings.Join(lines, "; ")
}
