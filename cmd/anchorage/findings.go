// This file turns what was found in a model into warnings, each with a remedy if there is one, and holds the quality
// gate.

package main

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"anchorage/anchor"
	"anchorage/model"
)

// noisyMass is the share of all weight from which noisy items deserve a warning.
const noisyMass = 0.05

// findingsWarnings returns a line for each thing that the reader of a model should know.
func findingsWarnings(f *anchor.Findings) []string {
	var lines []string
	if n := len(f.ThinAnchors); n > 0 {
		lines = append(lines, fmt.Sprintf("topics that rest on thin evidence: %d (%s); ask for fewer topics with -k, or "+
			"raise --set anchor-min-df", n, some(f.ThinAnchors)))
	}
	if n := len(f.Duplicates); n > 0 {
		lines = append(lines, fmt.Sprintf("pairs of topics that share half of their prominent items: %d (%s); try fewer "+
			"topics with -k", n, some(f.Duplicates)))
	}
	if f.NoisyMass >= noisyMass {
		lines = append(lines, fmt.Sprintf("%d items, %.0f%% of all weight, occur in too few documents to tell their "+
			"topics, so their mixtures are close to the average; raise --min-df to leave them out", f.NoisyItems,
			100*f.NoisyMass))
	}
	if f.JointAstray {
		lines = append(lines, fmt.Sprintf("the joint probabilities of topics sum to %.2g in place of 1, so that "+
			"correlations of topics cannot be relied on; ask for fewer topics with -k, make more --passes, or leave out rare "+
			"items with --min-df", f.JointSum))
	}
	if n := len(f.Blocks); n > 0 {
		lines = append(lines, fmt.Sprintf("the topics fall into %d blocks that never occur together, the first of them %s; "+
			"the corpus may be several with nothing in common", n, some(f.Blocks[0])))
	}
	return lines
}

// movingStill is the change of the last iteration from which a rectification that was told its number of iterations has
// not settled: the threshold of the certificate.
const movingStill = 1e-3

// rectifyWarnings returns a line if the rectification did not settle. r may be nil.
func rectifyWarnings(r *model.RectifyRecord) []string {
	switch {
	case r == nil:
		return nil
	case !r.Unsettled && !r.Converged && r.Iterations > 0 && r.Change > movingStill:
		return []string{fmt.Sprintf("the rectification ended after %d iterations, as asked, and had not settled: the last "+
			"still moved it by %.2g of its length; leave --set enn-iterations out", r.Iterations, r.Change)}
	case !r.Unsettled:
		return nil
	}
	line := fmt.Sprintf("the rectification had not settled after %d iterations: the last still moved it by %.2g of its "+
		"length", r.Iterations, r.Change)
	if r.Negative != nil {
		line += fmt.Sprintf(", and negative entries add up to %.2g of the sum of all", r.Negative.Mass)
	}
	return []string{line + "; ask for fewer topics with -k, leave out rare items with --min-df, or give more documents"}
}

// refineWarnings returns a line if memory lacked for a refinement.
func refineWarnings(m *model.Manifest) []string {
	if m.RefineNeeds == 0 {
		return nil
	}
	return []string{"the topics were not refined, and may be several times farther from the truth: raise --memory-limit " +
		"to " + humanize.IBytes(uint64(m.RefineNeeds))}
}

// sketchWarnings returns a line if a single pass leaves eigenpairs that are rough.
func sketchWarnings(r *model.SketchRecord) []string {
	if r.Findings == nil || !r.Findings.Rough {
		return nil
	}
	return []string{fmt.Sprintf("the single pass is rough: its eigenpairs are off by about %.0f%%, so topics may be "+
		"noise; allow more passes (--passes auto), or raise --set sketch-columns or --memory-limit", 100*r.EstimatedError)}
}

// some lists the first few of many things.
func some[T any](things []T) string {
	const few = 5
	if len(things) <= few {
		return fmt.Sprint(things)
	}
	line := fmt.Sprint(things[:few])
	return line[:len(line)-1] + " …]"
}

// requireRow is --require: a run whose certificate falls short of it ends with a separate code.
func requireRow(to *[]model.Requirement) row {
	set := func(text string) (err error) {
		*to, err = model.ParseRequirements(text)
		return err
	}
	return outputGroup.flag("require", set, anyText.named("NAME[=N],..."),
		"figures that the certificate must reach; else the run ends with code 16").does(none)
}
