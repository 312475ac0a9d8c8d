// This file holds what the runs of PALM and iPALM in Figure 3 say beyond the others: their objective, whether X and Y have met, the sum of
// X·Xᵀ, and what they cost.

package paper

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"anchorage/bench/internal/report"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// palmTables are the tables of PALM and iPALM: a row for every run, and one for every iteration that is kept.
type palmTables struct{ runs, iterations *report.Runs }

func (p Grid) newPALMTables() (*palmTables, error) {
	keys := slices.Concat(report.Texts("corpus"), report.Ints("items"), report.Texts("pipeline"), report.Ints("topics", "seed"))
	figures := report.Floats("change", "relative_objective", "coupling", "apart", "factor_sum")
	runs, err := report.NewRuns(p.Earlier, "palm-runs", keys, report.Ints("iterations", "restarts", "products"), report.Texts("converged"), figures,
		report.Floats("factor_approximation", "relative_approximation", "recovery", "sum_A", "cpu_seconds"))
	if err != nil {
		return nil, err
	}
	iterations, err := report.NewRuns(p.Earlier, "palm-iterations", slices.Concat(keys, report.Ints("iteration")), figures)
	return &palmTables{runs, iterations}, err
}

// reuse takes the rows of a run over from earlier results.
func (t *palmTables) reuse(run []any) {
	t.runs.Reuse(run...)
	reuseCourse(t.iterations, run)
}

// add adds a run, if it is one of PALM or iPALM. The figures of its topics are given.
func (t *palmTables) add(ctx context.Context, d *denseCorpus, run []any, o *outcome, workers int, approximation, recovery, sumA float64) error {
	if !slices.Contains([]string{palmed, palmedLong, palmedFast}, run[2].(string)) {
		return nil
	}
	squares := squaredNorm(d.c)
	var last []any
	restarts := int64(0)
	for _, i := range o.course {
		if i.Restarted {
			restarts++
		}
		last = []any{i.Change, 1 + 2*i.Objective/squares, i.Coupling, i.Apart, i.FactorSum}
		if keptIteration(i.Number, len(o.course)) {
			t.iterations.Add(slices.Concat(run, []any{int64(i.Number)}, last)...)
		}
	}
	factor, err := d.factorApproximation(ctx, o.factor, squares, workers)
	if err != nil {
		return err
	}
	t.runs.Add(slices.Concat(run, []any{int64(len(o.course)), restarts, int64(o.products), yesNo(o.converged)}, last,
		[]any{factor, approximation, recovery, sumA, o.cpu})...)
	return nil
}

func squaredNorm(c *matrix.Tall) float64 {
	sum := 0.0
	for i := range c.Rows() {
		for _, v := range c.Row(i) {
			sum += v * v
		}
	}
	return sum
}

// factorApproximation returns ‖C − X·Xᵀ‖_F/‖C‖_F of a factor: the square is ‖C‖² − 2·tr(XᵀC·X) + ‖XᵀX‖².
func (d *denseCorpus) factorApproximation(ctx context.Context, x *matrix.Tall, squares float64, workers int) (float64, error) {
	product := matrix.Like(x)
	if err := d.operator(workers)(ctx, product, x); err != nil {
		return 0, err
	}
	off := squares
	for _, v := range kernel.Gram(ctx, x, x, workers) {
		off += v * v
	}
	k := x.Cols()
	cross := kernel.Gram(ctx, product, x, workers)
	for j := range k {
		off -= 2 * cross[j*k+j]
	}
	return math.Sqrt(max(off, 0) / squares), ctx.Err()
}

// section returns the part of the README about the runs.
func (t *palmTables) section() string {
	var b strings.Builder
	b.WriteString("\n## PALM and iPALM\n\nPALM+LAW makes 100 iterations as in the thesis, the other two go on until the factors move by at most 1e-4 in an iteration.\n\n")
	report.MarkdownHeader(&b, "corpus", "K:", "pipeline", "iterations:", "products with C:", "converged", "last change:", "J / ½‖C‖²:", "s:", "‖X − Y‖ / ‖X‖:", "ΣX·Xᵀ:",
		"‖C − X·Xᵀ‖ / ‖C‖:", "relative approximation:", "recovery:", "ΣA:", "CPU s:")
	at := func(row []any, name string) any {
		return row[slices.IndexFunc(t.runs.Columns, func(c report.Column) bool { return c.Name == name })]
	}
	for _, row := range t.runs.Rows {
		cells := []string{at(row, "corpus").(string), fmt.Sprint(at(row, "topics")), at(row, "pipeline").(string), fmt.Sprint(at(row, "iterations")), fmt.Sprint(at(row, "products")),
			at(row, "converged").(string)}
		for _, f := range []struct{ column, form string }{{"change", "%.1e"}, {"relative_objective", "%.4f"}, {"coupling", "%.2e"}, {"apart", "%.4f"}, {"factor_sum", "%.3f"},
			{"factor_approximation", "%.3f"}, {"relative_approximation", "%.3f"}, {"recovery", "%.4f"}, {"sum_A", "%.3f"}, {"cpu_seconds", "%.0f"}} {
			cells = append(cells, fmt.Sprintf(f.form, at(row, f.column)))
		}
		report.MarkdownRow(&b, cells...)
	}
	b.WriteString("\nX·Xᵀ approximates C only as far as X and Y have met. ΣX·Xᵀ, which should be 1, is bound by nothing in J. See docs/decisions/palm.md.\n")
	return b.String()
}
