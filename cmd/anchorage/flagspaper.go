// This file holds --paper, which chooses the settings of the papers.

package main

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"anchorage/model/fit"
)

func paperRow() row {
	return topicsGroup.flag("paper", new(bool), boolean, "do everything exactly as published (docs/papers.md)")
}

// publishedNames are the flags and settings that --paper sets, and that the command line must not contradict.
var publishedNames = []string{"refine", "item-weights", "document-weights", "evidence", "sketch-method",
	"enn-eigenpairs", "normalization", "row-sums", "polish", "relevance", "characteristic"}

// published returns the values of publishedNames in fit.Published.
func published(o fit.Options) map[string]string {
	values := make(map[string]string)
	for _, r := range slices.Concat(sketchRows(&o), rectifyRows(&o.Rectify), anchorRows(&o.Anchor),
		refineRows(&o.Refine)) {
		if slices.Contains(publishedNames, r.name) {
			values[r.name] = textOf(r.values, reflect.ValueOf(r.to).Elem())
		}
	}
	return values
}

// usual returns the values of flags that --paper sets unless they are given: how many passes and iterations are made,
// and which items and documents count. The papers choose items by tf·idf (--max-items) after leaving out stop words
// (--stopwords), and have no other rule for them.
func usual(o fit.Options, flags *pflag.FlagSet) map[string]string {
	values := map[string]string{"min-items": "3", "min-tokens": "5"}
	if !given(flags, "vocab") && !given(flags, "no-prune") { // which forbid other rules
		values["min-df"], values["max-df-ratio"] = "0", "0"
	}
	if o.Rectify.Iterations > 0 {
		values["enn-iterations"] = strconv.Itoa(o.Rectify.Iterations)
	}
	if o.Sketch.Passes > 0 && !given(flags, "no-prune") { // which reads documents once
		values["passes"] = strconv.Itoa(o.Sketch.Passes)
	}
	return values
}

// setPublished sets the flags and settings of a command with --paper to what is published. One that contradicts it is
// refused, except for those of usual.
func setPublished(flags *pflag.FlagSet) error {
	paper := flags.Lookup("paper")
	if paper == nil || paper.Value.String() != "true" {
		return nil
	}
	method := fit.LRJSMF
	if flag := flags.Lookup("method"); flag != nil {
		method = fit.Method(flag.Value.String())
	}
	options := fit.Published(method)
	for name, value := range usual(options, flags) {
		if flag := lookup(flags, name); flag != nil && !flag.Changed {
			if err := flag.Value.Set(value); err != nil {
				return err
			}
		}
	}
	for name, value := range published(options) {
		flag := lookup(flags, name)
		if flag == nil {
			continue
		}
		if flag.Changed && flag.Value.String() != value {
			return &usageError{fmt.Errorf("--paper means %s: leave one of the two out", withValue(flags, name, value, true))}
		}
		if err := flag.Value.Set(value); err != nil {
			return err
		}
	}
	return nil
}

// warnOfPaper warns of --paper with every item: without a choice of items, the papers' methods find anchors among the
// rarest.
func (p *program) warnOfPaper() {
	paper := p.flags.Lookup("paper")
	if paper != nil && paper.Value.String() == "true" && p.flags.Lookup("max-items") != nil &&
		!given(p.flags, "max-items") && !given(p.flags, "vocab") {
		p.log.Warn("--paper keeps every item, and takes rare ones for anchors: the papers keep the best few thousand by "+
			"tf·idf, without stop words", "remedy", "--max-items 5000 --stopwords LANGUAGE")
	}
}
