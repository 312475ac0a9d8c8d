// This file holds the block Krylov method: accurate eigenpairs from a few passes.

package sketch

import (
	"context"
	"math"
	"slices"

	"anchorage/corpus"
	"anchorage/internal/aligned"
	"anchorage/internal/checkpoint"
	"anchorage/internal/kernel"
	"anchorage/matrix"
)

const (
	// DefaultTolerance is how small the residual of every wanted pair must be, relative to the K-th eigenvalue, for the
	// passes to end. The half step at the end makes it several times smaller. See docs/decisions/passes.md.
	DefaultTolerance = 0.01
	// basisBytes is the memory that the basis may take, unless LeastBlocks take more.
	basisBytes = 2 << 30
	// LeastBlocks is the least number of blocks that the basis should have: with fewer, a restart loses too much.
	LeastBlocks = 3
	// MaxPasses bounds the passes where the tolerance decides when to stop.
	MaxPasses = 30
)

// Krylov returns the k leading eigenpairs by a block Krylov method with full reorthogonalisation. It starts from Q₁, an
// orthonormal basis of C·Ω. Every further pass computes C·Q_j, and what that adds to the space so far becomes Q_{j+1}.
// The result is the Ritz pairs of C in span{Q₁ … Q_j}. Their residuals need no further pass, since all of C·[Q₁ … Q_j]
// but a known part of C·Q_j lies in the span; that part also gives half a step more at the end (refined). A full basis
// is compressed to the L leading Ritz vectors and grows again from there (thick restart: Wu & Simon, SIAM J. Matrix
// Anal. Appl. 22, 2000).
//
// A sketch that started from vectors (Options.Start) starts from Q₀, an orthonormal basis of them and of Ω, instead:
// its product is C·Q₀, and the space span{Q₀ … Q_j}. At least two passes are made, since the residuals say nothing of
// eigenvectors that Q₀ has not met.
//
// With Options.Power the space is not kept: see there.
//
// After every pass the basis goes to the checkpoint that ctx carries, if it does. If that resumes, the sketch needs no
// product.
//
// Pass must read the documents that the sketch was made from. Krylov uses the sketch up: Product is nil afterwards, and
// a second call panics. The error is a *RankError where fewer than k eigenvalues are positive, or that of the pass.
func (s *Sketch) Krylov(ctx context.Context, pass corpus.Pass, k int, opts Options) (*Eigen, error) {
	if opts.Passes == 1 {
		panic("sketch: a block Krylov method needs a second pass")
	}
	b := basis{marginals: &s.Marginals, k: k, opts: opts, point: checkpoint.PointOf(ctx)}
	defer b.point.Until(b.release)
	passes := 1 // made
	if b.point.Resumes() {
		if err := b.point.Restore(func(v *checkpoint.Values) { b.checkpoint(ctx, v, &passes) }); err != nil {
			return nil, err
		}
	} else if err := b.begin(ctx, s); err != nil {
		return nil, err
	}
	for {
		if !b.exhausted() { // the block to start from may be invariant
			b.point.Reached(func(v *checkpoint.Values) { b.checkpoint(ctx, v, &passes) })
			if err := b.extend(ctx, pass); err != nil {
				return nil, err
			}
			passes++ // not before: an interrupt within the pass still writes the state before it
			if opts.Report != nil {
				opts.Report(passes, slices.Max(b.residuals))
			}
		}
		if b.done(passes) {
			return b.eigen(ctx, passes)
		}
		if err := b.shorten(ctx); err != nil {
			return nil, err
		}
	}
}

// done reports whether the passes made are enough.
func (b *basis) done(passes int) bool {
	return passes == b.opts.Passes || b.exhausted() || b.opts.Passes == 0 && (b.converged() || passes == MaxPasses)
}

// eigen returns the pairs that were found in a number of passes, and releases the basis.
func (b *basis) eigen(ctx context.Context, passes int) (*Eigen, error) {
	if err := checkRank(b.values, b.k, 0); err != nil {
		return nil, err
	}
	b.spare, b.room = matrix.Spare[float64]{}, nil
	values, vectors, err := b.found(ctx, b.k)
	if err != nil {
		return nil, err
	}
	b.blocks, b.spare = nil, matrix.Spare[float64]{} // the last one need not be beside the vectors and their copy
	leading, err := singles(ctx, vectors, b.opts.Workers)
	if err != nil {
		return nil, err
	}
	guards := slices.Clone(b.values[b.k:max(b.k, kernel.RankAbove(b.values[:leading.Cols()], rankFloor))])
	vectors.Shrink(b.k)
	return &Eigen{Values: values, Vectors: vectors, Leading: leading, GuardValues: guards, Residuals: b.residuals,
		Passes: passes, Singles: b.singles}, nil
}

// begin takes the product of the first pass, which the sketch gives up. Without vectors to start from, it becomes the
// first block; with them it is C times the first block.
func (b *basis) begin(ctx context.Context, s *Sketch) error {
	if s.Product == nil {
		panic("sketch: the sketch was used up")
	}
	b.point.Leave()
	if err := s.normalize(ctx, b.opts.Workers); err != nil {
		return err
	}
	product, start := s.Product, s.start
	s.Product, s.start = nil, nil
	if start == nil {
		b.blocks = []*matrix.Tall{product}
		if _, err := kernel.Orthonormalize(ctx, product, b.opts.Workers); err != nil {
			return err
		}
	} else {
		b.blocks = []*matrix.Tall{start}
	}
	if b.width = b.blocks[0].Cols(); b.width < b.k {
		return &RankError{Topics: b.k, Rank: b.width}
	}
	if start == nil {
		return nil
	}
	err := b.absorb(ctx, product)
	if err == nil && b.opts.Report != nil {
		b.opts.Report(1, slices.Max(b.residuals))
	}
	return err
}

// mostBlocks returns how many blocks are held before the basis is compressed.
func (b *basis) mostBlocks() int {
	if b.opts.MaxBlocks > 0 {
		return max(b.opts.MaxBlocks, 2)
	}
	return DefaultBlocks(b.blocks[0].Rows(), b.blocks[0].Cols())
}

// DefaultBlocks returns how many N×L blocks the basis holds where Options.MaxBlocks does not say, for n items and l
// columns.
func DefaultBlocks(n, l int) int {
	return min(max(basisBytes/(8*aligned.Columns[float64](l)*max(n, 1)), LeastBlocks), 8)
}

func (o Options) tolerance() float64 {
	if o.Tolerance > 0 {
		return o.Tolerance
	}
	return DefaultTolerance
}

// basis is an orthonormal basis of a Krylov space. All blocks but the last have been multiplied with C.
type basis struct {
	marginals *Marginals
	blocks    []*matrix.Tall
	away      []*awayMatrix[float64] // those that were put away, released ones among them
	k, width  int                    // pairs wanted, and Ritz vectors that a restart keeps
	opts      Options
	point     *checkpoint.Point // after every pass; nil if the context has none

	applied   int                   // columns of the blocks that were multiplied with C
	h         []float64             // Qᵀ·C·Q over them, applied×applied
	values    []float64             // Ritz values in decreasing order
	vectors   []float64             // coefficients of the first leading() Ritz vectors, applied×leading(), in columns
	residuals []float64             // of the first k pairs, relative to the greatest value
	coupling  []float64             // Qᵀ·C times the block before the last, Q the last one
	singles   int                   // blocks that were multiplied in single precision
	shift     float64               // σ of Options.Power
	spare     matrix.Spare[float64] // what the blocks before a restart have left, for blocks to come
	room      *matrix.Single        // the last block in single precision, for that of the next
}

// singleTolerance is the least residual to be reached, relative to λ₁, next to which the error of products in single
// precision, a few 2⁻²⁴·λ₁, is nothing: 2⁻¹⁴ or 6·10⁻⁵.
const singleTolerance = 0x1p-14

// toleratesSingle reports whether the next block may be multiplied in single precision: the tolerance decides when to
// stop, and is far above the error. Passes whose number was chosen may be there for more accuracy than the tolerance
// asks for. The Ritz values, by which this is decided, are never above the eigenvalues.
func (b *basis) toleratesSingle() bool {
	return b.opts.Passes == 0 && len(b.values) >= b.k && b.values[b.k-1]*b.opts.tolerance() >= singleTolerance*b.values[0]
}

// exhausted reports whether the space is invariant under C: then its Ritz pairs are exact.
func (b *basis) exhausted() bool { return b.blocks[len(b.blocks)-1].Cols() == 0 }

// converged reports whether all wanted pairs are accurate enough.
func (b *basis) converged() bool {
	if len(b.values) < b.k || b.values[b.k-1] <= 0 {
		return false
	}
	return slices.Max(b.residuals) <= b.opts.tolerance()*b.values[b.k-1]/b.values[0]
}

// leading returns how many Ritz vectors are computed: those that are wanted and those that a restart keeps.
func (b *basis) leading() int { return min(max(b.k, b.width), b.applied) }

// extend multiplies the last block with C in one pass, updates the Ritz pairs, and appends the new directions as a
// block.
func (b *basis) extend(ctx context.Context, pass corpus.Pass) error {
	last := b.blocks[len(b.blocks)-1]
	c := Operator{Pass: pass, Marginals: b.marginals, Workers: b.opts.Workers, Single: b.toleratesSingle(),
		room: b.room}
	f, err := c.factor(ctx, last)
	if err != nil {
		return err
	}
	if f.single != nil { // documents do not meet the block itself
		values := slices.Clone(last.Values())
		if err := b.putAway(ctx, []*matrix.Tall{last}); err != nil {
			return err
		}
		if last.IsAway() {
			b.spare.Put(values...)
		}
	}
	w := matrix.LikeFrom(last, &b.spare)
	if err := c.multiply(ctx, w, f); err != nil {
		return err
	}
	b.room = f.single
	if c.Single {
		b.singles++
	}
	b.point.Leave()
	return b.absorb(ctx, w)
}

// absorb takes w, C times the last block.
func (b *basis) absorb(ctx context.Context, w *matrix.Tall) (err error) {
	coefficients := kernel.ProjectOut(ctx, w, b.blocks, b.opts.Workers)
	if err := b.unread(ctx); err != nil {
		return err
	}
	b.applied += w.Cols()
	b.h = kernel.Bordered(b.h, coefficients, b.applied, w.Cols())
	if b.values, b.vectors, err = kernel.LeadingEigen(ctx, b.h, b.applied, b.leading(), b.opts.Workers); err != nil {
		return err
	}
	rest := kernel.Gram(ctx, w, w, b.opts.Workers)
	b.measure(ctx, rest, w.Cols())
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := b.appendBlock(ctx, w, rest); err != nil {
		return err
	}
	return b.spill(ctx)
}

// measure computes the residuals of the wanted pairs. For a Ritz pair (θ, Q·s), C·Q·s − θ·Q·s = W·s', where W is the
// part of C times the last block outside of the space, rest = Wᵀ·W, and s' are the last coefficients of s.
func (b *basis) measure(ctx context.Context, rest []float64, cols int) {
	n, count := b.applied, b.leading()
	last := b.vectors[(n-cols)*count:]
	squares := kernel.Times(ctx, rest, last, cols, cols, count)
	b.residuals = make([]float64, min(b.k, n))
	for c := range b.residuals {
		sum := 0.0
		for i := range cols {
			sum += last[i*count+c] * squares[i*count+c]
		}
		b.residuals[c] = math.Sqrt(max(sum, 0)) / math.Abs(b.values[0])
	}
}

// orthogonality is how much of the basis may be left in a new block. It makes an error of the same size in Ritz values,
// far below any tolerance; to project every block a second time would take half as long as a pass.
const orthogonality = 1e-11

// appendBlock makes w, already orthogonal to the basis, its next block. It leaves out columns that are no more than
// rounding, and projects short ones again after they have been scaled up.
func (b *basis) appendBlock(ctx context.Context, w *matrix.Tall, rest []float64) error {
	const eps = 0x1p-52
	cols, norm := w.Cols(), math.Abs(b.values[0])
	var long []int
	shortest := math.Inf(1)
	for j := range cols {
		if length := math.Sqrt(max(rest[j*cols+j], 0)); length > 64*eps*norm {
			long = append(long, j)
			shortest = min(shortest, length)
		}
	}
	if len(long) < cols {
		selection := make([]float64, cols*len(long))
		for at, j := range long {
			selection[j*len(long)+at] = 1
		}
		kernel.Transform(ctx, w, selection, len(long), b.opts.Workers)
	}
	r, err := kernel.Orthonormalize(ctx, w, b.opts.Workers)
	if err != nil {
		return err
	}
	// Scaling a short column up has also scaled up what rounding left of the basis in it.
	if eps*norm > orthogonality*shortest {
		kernel.ProjectOut(ctx, w, b.blocks, b.opts.Workers)
		if err := b.unread(ctx); err != nil {
			return err
		}
		between := w.Cols()
		again, err := kernel.Orthonormalize(ctx, w, b.opts.Workers)
		if err != nil {
			return err
		}
		r = kernel.Times(ctx, again, r, w.Cols(), between, len(long))
	}
	b.coupling = make([]float64, w.Cols()*cols)
	for i := range w.Cols() {
		for at, j := range long {
			b.coupling[i*cols+j] = r[i*len(long)+at]
		}
	}
	b.blocks = append(b.blocks, w)
	return nil
}

// found returns the k leading pairs, as Krylov does, and releases the basis.
func (b *basis) found(ctx context.Context, k int) (values []float64, v *matrix.Tall, err error) {
	if b.opts.Power {
		return b.values[:k], b.ritzVectors(ctx, k+b.guards(k)), b.unread(ctx)
	}
	return b.refined(ctx, k)
}

// shorten makes room for the next pass: subspace iteration continues from only the last product, and a Krylov basis
// that is full is compressed.
func (b *basis) shorten(ctx context.Context) error {
	switch {
	case b.opts.Power:
		return b.replace(ctx)
	case len(b.blocks) > b.mostBlocks():
		if b.restart(ctx); b.unread(ctx) == nil {
			return b.spill(ctx)
		}
	}
	return b.unread(ctx)
}

// guards returns how many Ritz vectors beyond k are kept.
func (b *basis) guards(k int) int { return min(GuardColumns, b.leading()-k) }

// refined returns the k leading pairs after half a step more, which costs no pass, and releases the basis. So far, what
// the last pass found outside of the space, C·Q_{p−1} = … + Q_p·R, was used only for the residuals. It also gives C·v =
// λ·v + Q_p·f for a Ritz vector v, and C·v/λ = v + Q_p·g is nearer to the eigenvector. The pairs are those of C in the
// span of these vectors. The unknown Q_pᵀ·C·Q_p, which is multiplied by g twice, is taken for 0. Other Ritz vectors are
// left out: near large negative eigenvalues the 0 would make positive ones of them. The next ones, as they are, follow
// the k vectors.
func (b *basis) refined(ctx context.Context, k int) (values []float64, v *matrix.Tall, err error) {
	last := b.blocks[len(b.blocks)-1]
	l, n := last.Cols(), b.applied
	if l == 0 {
		return b.values[:k], b.ritzVectors(ctx, k+b.guards(k)), b.unread(ctx)
	}
	cols, ritz := len(b.coupling)/l, kernel.FirstColumns(b.vectors, n, b.leading(), k)
	f := kernel.Times(ctx, b.coupling, ritz[(n-cols)*k:], l, cols, k)
	g := make([]float64, l*k)
	for i := range g {
		g[i] = f[i] / b.values[i%k]
	}
	gram, inner := kernel.TransposedTimes(ctx, g, g, l, k, k), kernel.TransposedTimes(ctx, f, g, l, k, k)
	for i := range k {
		gram[i*k+i]++
		for j := range i + 1 {
			sum := inner[i*k+j] + inner[j*k+i]
			inner[i*k+j], inner[j*k+i] = sum, sum
		}
		inner[i*k+i] += b.values[i]
	}
	// The vectors times u·μ^−½, u and μ the eigenpairs of their Gram matrix, are orthonormal.
	lengths, u, err := kernel.SymmetricEigen(ctx, gram, k, b.opts.Workers)
	if err != nil {
		return nil, nil, err
	}
	for i := range u {
		u[i] /= math.Sqrt(lengths[i%k])
	}
	inner = kernel.TransposedTimes(ctx, u, kernel.Times(ctx, inner, u, k, k, k), k, k, k)
	values, vectors, err := kernel.SymmetricEigen(ctx, inner, k, b.opts.Workers)
	if err != nil {
		return nil, nil, err
	}
	u = kernel.Times(ctx, u, vectors, k, k, k)
	all := k + b.guards(k)
	coefficients := kernel.FirstColumns(b.vectors, n, b.leading(), all)
	setColumns(coefficients, kernel.Times(ctx, ritz, u, n, k, k), all, k)
	beyond := make([]float64, l*all)
	setColumns(beyond, kernel.Times(ctx, g, u, l, k, k), all, k)
	v = b.combine(ctx, coefficients, all)
	kernel.MultiplyAdd(ctx, v, 1, last, beyond, b.opts.Workers)
	return values, v, b.unread(ctx)
}

// setColumns sets the first k of the cols columns of a to those of c.
func setColumns(a, c []float64, cols, k int) {
	for i := range len(c) / k {
		copy(a[i*cols:][:k], c[i*k:])
	}
}

// ritzVectors returns the first k Ritz vectors and releases the blocks that they are made of.
func (b *basis) ritzVectors(ctx context.Context, k int) *matrix.Tall {
	return b.combine(ctx, kernel.FirstColumns(b.vectors, b.applied, b.leading(), k), k)
}

// combine returns Q·coefficients, N×k, of all blocks but the last, and releases those.
func (b *basis) combine(ctx context.Context, coefficients []float64, k int) *matrix.Tall {
	return kernel.Combined(ctx, b.blocks[:len(b.blocks)-1], coefficients, k, b.opts.Workers, &b.spare)
}

// restart replaces all blocks but the last by the leading Ritz vectors.
func (b *basis) restart(ctx context.Context) {
	cols := b.leading()
	last := b.blocks[len(b.blocks)-1]
	if b.opts.SpillDir != "" {
		b.room = nil // which memory does not have beside the last block and the vectors
	}
	kept := b.ritzVectors(ctx, cols)
	b.blocks = []*matrix.Tall{kept, last}
	b.h = make([]float64, cols*cols)
	for i := range cols {
		b.h[i*cols+i] = b.values[i]
	}
	b.applied = cols
}
