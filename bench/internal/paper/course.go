// This file holds what every iteration of the rectifications of Figure 3 did, ε of ENN above all.

package paper

import (
	"slices"

	"anchorage/bench/internal/report"
	"anchorage/rectify"
)

// newCourse returns the table of iterations: a row for each, with those of earlier results at hand.
func (p Grid) newCourse() (*report.Runs, error) {
	keys := slices.Concat(report.Texts("corpus"), report.Ints("items"), report.Texts("pipeline"), report.Ints("topics", "seed", "iteration"))
	return report.NewRuns(p.Earlier, "figure3-iterations", keys,
		report.Floats("change", "epsilon", "epsilon_in_mean_entries", "corrections_sum", "density", "objective"))
}

// Of long rectifications not all iterations are kept: the first courseRows, every courseStride-th of the others, and the last.
const (
	courseRows   = 150
	courseStride = 25
)

func keptIteration(number, of int) bool {
	return number <= courseRows || number%courseStride == 0 || number == of
}

// addCourse adds the iterations of a run. A mean entry is 1/N², of the N² that sum to 1.
func addCourse(course *report.Runs, run []any, iterations []rectify.Iteration) {
	n := float64(run[1].(int64))
	for _, i := range iterations {
		if keptIteration(i.Number, len(iterations)) {
			course.Add(append(slices.Clone(run), int64(i.Number), i.Change, i.Epsilon, i.Epsilon*n*n, i.CorrectionsSum, i.Density, i.Objective)...)
		}
	}
}

// reuseCourse takes the iterations of a run over from earlier results.
func reuseCourse(course *report.Runs, run []any) {
	for number, missed := 1, 0; missed < courseStride; number++ {
		missed++
		if course.Reuse(append(slices.Clone(run), int64(number))...) {
			missed = 0
		}
	}
}
