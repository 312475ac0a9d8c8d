// This file measures small eigenproblems, beside gonum's, and the parts of LAW: pivots and mixtures.

package kernels

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"anchorage/anchor"
	"anchorage/internal/kernel"
	"anchorage/internal/synth"
	"anchorage/matrix"
)

// eigenproblems measures all eigenvalues and eigenvectors of symmetric matrices.
func (m *measuring) eigenproblems(ctx context.Context) error {
	for _, n := range m.Orders {
		a := make([]float64, n*n)
		for i := range n {
			for j := range i + 1 {
				a[i*n+j] = noise(uint64(n), uint64(i*n+j))
				a[j*n+i] = a[i*n+j]
			}
		}
		gonum := timed(1, func() error {
			var eigen mat.EigenSym
			if !eigen.Factorize(mat.NewSymDense(n, a), true) {
				return errors.New("gonum's iteration does not converge")
			}
			return nil
		})
		for _, workers := range m.Workers {
			name := Name{groupEigen, "all eigenpairs", fmt.Sprintf("n = %d", n), workers}
			op := timed(1, func() error {
				_, _, err := kernel.SymmetricEigen(context.Background(), a, n, workers)
				return err
			})
			if err := m.add(ctx, name, op, gonum); err != nil {
				return err
			}
			m.last().Cost = 1000 / m.last().Rate
		}
	}
	return nil
}

// factorModel returns the model of the topics that anchors are found in.
func (k *Options) factorModel(topics int) synth.Model {
	return synth.Model{Items: k.Problems, Topics: topics, Documents: 1, Seed: 1}
}

// anchors measures LAW and, by the stages that it reports, its pivots and mixtures.
func (m *measuring) anchors(ctx context.Context) error {
	for _, k := range m.AnchorTopics {
		y, rowSums, err := noisyFactor(m.factorModel(k).Plant().Truth)
		if err != nil {
			return err
		}
		items := float64(m.Problems) / 1e3 // in thousands, as all work here
		for _, workers := range m.Workers {
			parts := []struct {
				name  string
				stage anchor.Stage // empty for all
				work  float64
				runs  paces
			}{
				{name: "pivots: rows looked at", stage: anchor.StagePivots, work: items * float64(k)},
				{name: "mixtures: problems on the simplex", stage: anchor.StageMixtures, work: items},
				{name: "all of LAW: items", work: items},
			}
			for run := range m.Runs + 1 {
				times, err := timeStages(ctx, y, rowSums, workers)
				if err != nil {
					return err
				}
				for i := range parts {
					if run > 0 { // the first does not count
						parts[i].runs.pace = append(parts[i].runs.pace, paceOf(parts[i].work, times[parts[i].stage]))
					}
				}
			}
			for _, part := range parts {
				record := part.runs.median()
				record.Cost = 1000 * part.work / record.Rate // milliseconds
				shape := fmt.Sprintf("N = %d, K = %d", m.Problems, k)
				m.put(Name{groupAnchors, part.name, shape, workers}, record)
			}
		}
	}
	return nil
}

// timeStages runs LAW and returns the time of each of its stages and, under no name, of all.
func timeStages(ctx context.Context, y *matrix.Tall, rowSums []float64, workers int) (map[anchor.Stage]span, error) {
	times := map[anchor.Stage]span{}
	all := watch()
	stop, stage := func() span { return span{} }, anchor.Stage("")
	opts := anchor.Options{RowSums: anchor.RowSumsExact, Workers: workers}
	opts.Report = func(next anchor.Stage) {
		times[stage] = stop()
		stop, stage = watch(), next
	}
	_, err := anchor.LAW(ctx, y, rowSums, opts)
	times[stage] = stop()
	times[""] = all()
	return times, err
}

// noisyFactor returns Y, N×K, with Y·Yᵀ ≈ B·A·Bᵀ, and the row sums of B·A·Bᵀ. Every value is off by about 5 %, so that no
// mixture has exact zeros.
func noisyFactor(truth *synth.Truth) (*matrix.Tall, []float64, error) {
	k := truth.Topics
	var decomposition mat.Cholesky
	if !decomposition.Factorize(mat.NewSymDense(k, truth.Correlations)) {
		return nil, nil, errors.New("the topic correlations are singular")
	}
	var root mat.TriDense
	decomposition.LTo(&root)
	y := matrix.NewTall(truth.Items, k)
	for i := range truth.Items {
		row := y.Row(i)
		topics, values := truth.Row(i)
		for t, topic := range topics {
			for j := range int(topic) + 1 {
				row[j] += values[t] * root.At(int(topic), j)
			}
		}
		for j := range row {
			row[j] *= 1 + 0.05*noise(uint64(k), uint64(i*k+j))
		}
	}
	return y, truth.Probabilities, nil
}
