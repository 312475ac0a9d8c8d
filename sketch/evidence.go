// This file holds the evidence pass: how well the documents determine each item's row.

package sketch

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"anchorage/corpus"
	"anchorage/internal/exact"
	"anchorage/internal/kernel"
	"anchorage/internal/visit"
)

// Evidence says how far the items' rows of C̄ can be trusted. A row is the mean, over the documents with the item, of
// what else is in them: with Z_m = Σ_i ω_i·h_im·V_i, the coordinates of document m in the eigenvectors V,
//
//	x_i = Σ_m a_im·ξ_im / Σ_m a_im     a_im = w_m·ω_i·h_im·(n_m−ω_i)     ξ_im = (Z_m − ω_i·V_i)/(n_m−ω_i)
//
// are the coordinates of row i of C̄, and Σ_m a_im = M·p_i. So the row of an item in few documents is noisy.
type Evidence struct {
	// SamplingVariance is the variance of x_i, E‖x_i − E x_i‖² over samples of documents: (T_i + T̄/s_i)/s_i, where T_i is
	// the scatter of ξ_im around x_i with weights a_im², T̄ its mean over all items by p_i, and s_i the
	// EffectiveSampleSize. It adds one document of average scatter to the item's own, so that a single document does not
	// make a row certain.
	SamplingVariance []float64
	// EffectiveSampleSize is s_i = (Σ_m a_im)²/Σ_m a_im², the number of equal documents that row i rests on; 0 for items
	// without weight.
	EffectiveSampleSize []float64
	// Cuts say the same in only the first eigenvectors, of the numbers in EvidenceOptions.Cuts, in that order. The other
	// fields hold for all K.
	Cuts []Cut
}

// EvidenceOptions say how the evidence pass is made.
type EvidenceOptions struct {
	Workers int // goroutines; 0 for one per processor
	// Cuts are numbers of eigenvectors, increasing and less than K, for which the pass measures the sampling variance too.
	Cuts []int
}

// MeasureEvidence makes the evidence pass over the documents that the eigenpairs were found in. It leaves both as they
// are. Besides the result it holds five numbers for every item, and two more for every cut. Several ranks have parts of
// the eigenvectors, and all get the whole result.
func MeasureEvidence(ctx context.Context, pass corpus.Pass, marginals *Marginals, eigen *Eigen,
	opts EvidenceOptions) (*Evidence, error) {
	g := newGathering(ctx, marginals, eigen, opts)
	rows, err := g.squaredRows(ctx, eigen.Vectors.Cols(), opts.Workers)
	if err != nil {
		return nil, err
	}
	if err := g.pass(ctx, pass); err != nil {
		return nil, err
	}
	e := g.finish(rows)
	for c, width := range opts.Cuts {
		rows, err := g.squaredRows(ctx, width, opts.Workers)
		if err != nil {
			return nil, err
		}
		e.Cuts = append(e.Cuts, Cut{K: width, SamplingVariance: g.variance(c, rows)})
	}
	return e, nil
}

// newGathering returns the evidence pass before the first document.
func newGathering(ctx context.Context, marginals *Marginals, eigen *Eigen, opts EvidenceOptions) *gathering {
	v := eigen.Vectors
	n, k := v.Dims()
	checkCuts(opts.Cuts, k)
	widths := append(slices.Clone(opts.Cuts), k)
	return &gathering{marginals: marginals, eigen: eigen, sums: make([]int64, n), squares: make([]int64, n),
		widths: widths, lengths: make([]int64, n*len(widths)),
		longest: slices.Max(append(kernel.SquaredNorms(ctx, v, opts.Workers), 0)),
		product: product{out: v, rows: denseRows(v), workers: opts.Workers, itemWeights: marginals.Weights,
			pairPrior: marginals.PairPrior}}
}

// gathering is the evidence pass under way. Every term is rounded to a unit that follows from the item's row sum, and
// sums of these are exact; see evidenceUnits.
type gathering struct {
	product   product
	marginals *Marginals
	eigen     *Eigen
	longest   float64 // the greatest ‖V_i‖²
	sums      []int64 // Σ_m a_im
	squares   []int64 // Σ_m a_im²
	widths    []int   // the cuts and K
	lengths   []int64 // Σ_m a_im²·‖ξ_im‖² in as many coordinates as each width says, N×len(widths) row-major
	// ‖w_m·Z_m‖² of the same in as many coordinates as each width says, documents×len(widths) row-major
	norms []float64
}

// squaredRows returns ‖x_i‖² of every item in the first k coordinates: x_i = V_i·diag(λ)/p_i, since C·V = V·diag(λ).
// The error is that of ctx.
func (g *gathering) squaredRows(ctx context.Context, k, workers int) ([]float64, error) {
	v := g.eigen.Vectors
	norms := make([]float64, v.Rows())
	documents := g.marginals.Total()
	err := kernel.EachRow(ctx, v, workers, func(i int, row []float64) {
		if p := g.marginals.RowSums[i] / documents; p > 0 {
			for j, value := range row[:k] {
				x := value * g.eigen.Values[j] / p
				norms[i] += x * x
			}
		}
	})
	if err == nil {
		err = kernel.Complete(ctx, v.Layout(), norms)
	}
	return norms, err
}

// pass makes the pass, and completes the sums with the documents of all processes.
func (g *gathering) pass(ctx context.Context, pass corpus.Pass) error {
	v := g.eigen.Vectors
	var err error
	if v.Whole() {
		err = pass(ctx, func(docs *corpus.Documents) error { return g.add(ctx, &g.product, docs) })
	} else {
		err = g.product.visit(ctx, pass, g.product.out.Stride(), func(b *visit.Batch, local *product) (err error) {
			if local.out, err = visit.Fetch(ctx, b, v); err != nil {
				return err
			}
			local.rows = denseRows(local.out)
			return g.add(ctx, local, b.Documents)
		})
	}
	if err == nil {
		err = kernel.AddUpLong(ctx, v.Layout(), g.sums, g.squares, g.lengths)
	}
	return err
}

// add adds documents, of whose items p.out has the rows of V.
func (g *gathering) add(ctx context.Context, p *product, docs *corpus.Documents) error {
	return p.chunks(docs, func(first, last int) error {
		if err := p.project(ctx, docs, first, last); err != nil {
			return err
		}
		if err := g.measure(ctx, p, last-first); err != nil {
			return err
		}
		if err := p.sorted.sort(ctx, docs, first, last, p.weights, p.out.Rows(), p.workers); err != nil {
			return err
		}
		return p.sorted.byRange(ctx, p.workers, func(part []entry) error {
			of := gatherer{gathering: g, product: p}
			for len(part) > 0 {
				own := 1
				for own < len(part) && part[own].item == part[0].item {
					own++
				}
				if own < len(part) {
					kernel.Prefetch(p.out, int(part[own].item))
				}
				of.addItem(part[:own])
				part = part[own:]
			}
			return nil
		})
	})
}

// measure sets the norms of the n documents of the chunk.
func (g *gathering) measure(ctx context.Context, p *product, n int) error {
	const group = 64 // documents that one call of the parallel loop handles
	widths := len(g.widths)
	g.norms = slices.Grow(g.norms[:0], n*widths)[:n*widths]
	return kernel.Ranges(ctx, p.workers, n, group, func(first, last int) error {
		for d := first; d < last; d++ {
			squaredNorms(g.norms[d*widths:][:widths], p.z[d*p.out.Stride():][:p.out.Cols()], g.widths)
		}
		return nil
	})
}

// finish turns the sums into the evidence in all coordinates.
func (g *gathering) finish(squaredRows []float64) *Evidence {
	e := &Evidence{EffectiveSampleSize: make([]float64, len(g.sums))}
	for i := range g.sums {
		if sum, square, _ := g.measured(i, 0); square > 0 {
			e.EffectiveSampleSize[i] = sum * sum / square
		}
	}
	e.SamplingVariance = g.variance(len(g.widths)-1, squaredRows)
	return e
}

// variance returns the sampling variance in as many coordinates as the given width says, in which ‖x_i‖² are
// squaredRows.
func (g *gathering) variance(width int, squaredRows []float64) []float64 {
	v := make([]float64, len(g.sums))
	mean, weight := 0.0, 0.0
	for i := range g.sums {
		sum, square, length := g.measured(i, width)
		if sum <= 0 {
			continue
		}
		v[i] = max(length/square-squaredRows[i], 0) // T_i
		mean += sum * v[i]
		weight += sum
	}
	if weight > 0 {
		mean /= weight
	}
	for i := range g.sums {
		if sum, square, _ := g.measured(i, width); sum > 0 {
			support := sum * sum / square
			v[i] = (v[i] + mean/support) / support
		} else {
			v[i] = math.Inf(1)
		}
	}
	return v
}

// squaredNorms sets each of dst to ‖v‖² in as many coordinates as widths, which increase, say.
func squaredNorms(dst, v []float64, widths []int) {
	sum, from := 0.0, 0
	for c, to := range widths {
		sum += floats.Dot(v[from:to], v[from:to])
		dst[c], from = sum, to
	}
}

// gatherer adds entries to the sums of a gathering, for one goroutine. In the product's documents, w_m·Z_m is row m of
// z.
type gatherer struct {
	*gathering
	product  *product
	rowNorms []float64 // ‖V_i‖² of the present item in as many coordinates as each width says
}

// addItem adds all entries of one item in the chunk.
func (g *gatherer) addItem(part []entry) {
	p := g.product
	item, row := int(p.number(part[0].item)), p.out.PaddedRow(int(part[0].item))
	units, omega, widths := g.units(item), p.itemWeight(part[0].item), len(g.widths)
	g.rowNorms = slices.Grow(g.rowNorms[:0], widths)[:widths]
	squaredNorms(g.rowNorms, row, g.widths)
	for _, e := range part {
		at := int(e.document)
		w, others := p.weights[at], p.tokens[at]-omega
		h := p.weighted(e.item, e.count)
		a := w * h * others
		if !(a > 0) {
			continue
		}
		z := p.z[at*len(row):][:len(row)]
		own := w * omega // z is w·Z, and w·(Z − ω·V_i) is wanted
		inner, from := 0.0, 0
		for c, to := range g.widths {
			inner += floats.Dot(row[from:to], z[from:to])
			from = to
			length := (g.norms[at*widths+c] - 2*own*inner + own*own*g.rowNorms[c]) / (w * others * w * others)
			g.lengths[item*widths+c] += units.length.Whole(a * a * min(max(length, 0), g.longest))
		}
		g.sums[item] += units.sum.Whole(a)
		g.squares[item] += units.square.Whole(a * a)
	}
}

// evidenceUnits are the units of an item's sums. Σ_m a_im is the item's row sum, and Σ_m a_im² at most its square. As
// ξ_im is a mean of rows of V, it is no longer than the longest.
type evidenceUnits struct {
	sum, square, length exact.Unit
}

func (g *gathering) units(item int) evidenceUnits {
	sum := g.marginals.RowSums[item]
	return evidenceUnits{exact.UnitOf(sum), exact.UnitOf(sum * sum), exact.UnitOf(sum * sum * g.longest)}
}

// measured returns the sums of an item, Σ a, Σ a² and Σ a²‖ξ‖², the last for the given width; all are 0 for an item
// without weight.
func (g *gathering) measured(item, width int) (sum, square, length float64) {
	if g.sums[item] <= 0 || g.squares[item] <= 0 {
		return 0, 0, 0
	}
	units := g.units(item)
	return units.sum.Value(g.sums[item]), units.square.Value(g.squares[item]),
		units.length.Value(g.lengths[item*len(g.widths)+width])
}
