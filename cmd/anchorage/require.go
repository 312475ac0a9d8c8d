// This file holds --require: what the figures of a model must reach before a run counts as good enough.

package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"anchorage/metric"
	"anchorage/model"
)

// requireRow is --require: a run that falls short of it, by figures of some scopes, ends with a separate code.
func requireRow(to *[]model.Requirement, help string, scopes ...metric.Scope) row {
	set := func(text string) (err error) {
		*to, err = parseRequirements(text, scopes...)
		return err
	}
	return outputGroup.flag("require", set, anyText.named("NAME[=N],..."), help).does(gates)
}

// parseRequirements reads requirements with commas between them: "settled,found_again=0.5". The name of a figure of
// some scopes without a number requires that the figure is good; a name with a number gives the worst value that is
// enough. Shares lie from 0 to 1, and what should be small is at least 0. An empty text has no requirements. The error
// is an *model.OptionError for the option "Require".
func parseRequirements(text string, scopes ...metric.Scope) ([]model.Requirement, error) {
	if text == "" {
		return nil, nil
	}
	var list []model.Requirement
	for word := range strings.SplitSeq(text, ",") {
		r, err := parseRequirement(strings.TrimSpace(word), scopes)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(other model.Requirement) bool { return other.Figure == r.Figure }) {
			return nil, badRequirement("%s is required twice", r.Figure)
		}
		list = append(list, r)
	}
	return list, nil
}

// parseRequirement reads one requirement.
func parseRequirement(word string, scopes []metric.Scope) (model.Requirement, error) {
	name, value, given := strings.Cut(word, "=")
	var of *metric.Definition
	var names []string
	for _, scope := range scopes {
		for _, d := range metric.Defined(scope) {
			if names = append(names, d.Name); d.Name == name {
				of = d
			}
		}
	}
	if of == nil {
		return model.Requirement{}, badRequirement("there is no figure %q: use %s", name, strings.Join(names, ", "))
	}
	r := model.Requirement{Figure: name, Threshold: of.Good, Most: of.Better == metric.Low}
	if !given {
		return r, nil
	}
	threshold, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil || math.IsNaN(threshold) || math.IsInf(threshold, 0):
		return r, badRequirement("%s=%s: give a number", name, value)
	case threshold < 0 || of.Better == metric.High && threshold > 1:
		return r, badRequirement("%s=%s: give a number from 0%s", name, value,
			map[bool]string{false: " to 1"}[of.Better == metric.Low])
	}
	r.Threshold = threshold
	return r, nil
}

func badRequirement(format string, args ...any) error {
	return &model.OptionError{Option: "Require", Reason: fmt.Sprintf(format, args...)}
}
