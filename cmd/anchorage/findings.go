// This file says whether a model can be relied on, with a remedy for what speaks against it, and holds the quality
// gate.

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"anchorage/metric"
	"anchorage/model"
)

// printVerdict prints whether topics can be relied on: a sentence, and a line for each thing that speaks against them,
// with what to do. It prints nothing of models whose method says nothing.
func printVerdict(w io.Writer, m *model.Model, more ...string) {
	sentence, remedy := m.Verdict()
	if sentence == "" {
		return
	}
	if remedy != "" {
		sentence += ": " + withFlags.Replace(remedy)
	}
	printf(w, "%s\n", sentence)
	for _, doubt := range m.Doubts() {
		line := doubt.Text
		if doubt.Remedy != "" {
			line += ": " + withFlags.Replace(doubt.Remedy)
		}
		more = append(more, line)
	}
	for _, line := range slices.DeleteFunc(more, func(line string) bool { return line == "" }) {
		printf(w, "- %s\n", line)
	}
}

// withFlags adds the flags that do what is advised.
var withFlags = strings.NewReplacer("rare items", "rare items (--min-df)", "frequent items",
	"frequent items (--max-df-ratio)", "numbers of topics", "numbers of topics (choose-k)", "more often",
	"more often (--passes)", "merge them", "merge them (steer)")

// movingStill is the change of the last iteration from which a rectification of a given number of iterations has not
// settled: the threshold of the certificate.
const movingStill = 1e-3

// rectifyWarning says that the rectification did not settle; empty if it did. r may be nil.
func rectifyWarning(r *model.RectifyRecord) string {
	switch {
	case r == nil:
		return ""
	case !r.Unsettled && !r.Converged && r.Iterations > 0 && r.Change > movingStill:
		return fmt.Sprintf("the rectification ended after %d iterations, as asked, and had not settled: the last "+
			"still moved it by %.2g of its length; leave --set enn-iterations out", r.Iterations, r.Change)
	case !r.Unsettled:
		return ""
	}
	line := fmt.Sprintf("the rectification had not settled after %d iterations: the last still moved it by %.2g of its "+
		"length", r.Iterations, r.Change)
	if r.Negative != nil {
		line += fmt.Sprintf(", and negative entries add up to %.2g of the sum of all", r.Negative.Mass)
	}
	return line + "; ask for fewer topics with -k, leave out rare items with --min-df, or give more documents"
}

// refineWarning says that memory lacked for a refinement; empty if it did not.
func refineWarning(m *model.Manifest) string {
	if m.RefineNeeds == 0 {
		return ""
	}
	return "the topics were not refined, and may be several times farther from the truth: raise --memory-limit " +
		"to " + humanize.IBytes(uint64(m.RefineNeeds))
}

// sketchWarning says that a single pass leaves eigenpairs that are rough; empty if they are not.
func sketchWarning(r *model.SketchRecord) string {
	if r.Findings == nil || !r.Findings.Rough {
		return ""
	}
	return fmt.Sprintf("the single pass is rough: what it counted is off by about %.0f%%, so topics may be "+
		"noise; allow more passes (--passes auto), or raise --set sketch-columns or --memory-limit", 100*r.EstimatedError)
}

// requireRow is --require: a run that falls short of it, by figures of some scopes, ends with a separate code.
func requireRow(to *[]model.Requirement, help string, scopes ...metric.Scope) row {
	set := func(text string) (err error) {
		*to, err = model.ParseRequirements(text, scopes...)
		return err
	}
	return outputGroup.flag("require", set, anyText.named("NAME[=N],..."), help).does(gates)
}
