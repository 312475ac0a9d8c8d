// This file holds LAW, its options, and the checks of its input. The sequence of its steps is in inference.go.

package anchor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/matrix"
)

// RowSums says by which row sums d the rows of the co-occurrence matrix are divided.
type RowSums int

const (
	// RowSumsFactor divides by the row sums of the factorised matrix, d = Y·(Yᵀe), as published. If the factor was
	// normalized uniformly, they cross zero for rare items; the rows of such items explode, and the items are selected as
	// anchors.
	RowSumsFactor RowSums = iota
	// RowSumsExact divides by the row sums of C itself, p_i = Σ_m h_im/(n_m·M), which are counted in the documents.
	RowSumsExact
)

// Options are the options of LAW and AW. The zero value asks for as many topics as the factor has columns, for the
// factor's row sums, and for all items as candidates.
type Options struct {
	// Topics is K, the number of topics, at least 2; 0 means the number of columns of the factor. AW has no factor and
	// needs it.
	Topics int
	// RowSums are those of LAW; AW does not use them.
	RowSums RowSums
	// MinDF is the least number of documents that hold an anchor; 0 and 1 admit all items.
	MinDF int64
	// DocumentFrequency is the number of documents that hold each item; it may be nil unless MinDF is above 1.
	DocumentFrequency []int64
	// SamplingVariance is the noise: the variance, over samples of documents, of every item's row of C divided by its true
	// row sum; N values, +Inf where nothing is known about a row. sketch.Evidence has it. It needs rowSums. With it,
	// anchors are selected by lower bounds of their norms, and an item's mixture is drawn towards the prior as far as its
	// row is noise. Nil takes every row for certain. AW does not use it.
	SamplingVariance []float64
	// Polish finds the mixtures a second time, with the mean row of the items that belong to a topic in place of its
	// anchor's row. So one noisy anchor does less harm. Stats.Unpolished says where it could not. AW does not polish.
	Polish bool
	// Fixed are groups of items, each of which is the tandem anchor of a topic: the mean of the group's rows is the
	// corner. They come first, in their order, and pivots are selected beside them for the other topics. Polish leaves the
	// corners of groups of several items as they are. A group is not empty, and all its items have weight; groups are at
	// most K. Topics.Anchors then has the item of the group that is most of the topic. AW does not use them.
	Fixed [][]int
	// Banned are items that pivots are not selected from.
	Banned []int
	// Workers is the number of goroutines; 0 means one per processor.
	Workers int
	// Progress, if not nil, is called when a stage begins and from time to time within it, with how much is done: anchors
	// of K, corrected rows, items of N. It is called from one goroutine at a time.
	Progress func(stage Stage, done, total int)
	// Name returns the name of item i for the texts of errors. If it is nil, they give the index.
	Name func(i int) string
}

// LAW infers topics from the N×L factor y of a rectified co-occurrence matrix C = Y·Yᵀ.
//
//	d    row sums of C: rowSums, or Y·(Yᵀe)
//	R    L×L with RᵀR = YᵀY, and Q = Y·R⁻¹ with orthonormal columns
//	X    the rows of C̄ = diag(d)⁻¹·C in the coordinates Q: X_i = R·Y_i/d_i, so that XXᵀ = C̄C̄ᵀ
//	S    the K anchors, the first pivots of a column-pivoted QR decomposition of Xᵀ
//	E    corrections: |C_ij| where C_ij < 0 and i or j is an anchor (or, with factor row sums, has d < 0), 0 elsewhere;
//	     X_i becomes Qᵀ(C+E)_i/d_i, and with factor row sums d becomes d + E·e
//	B̆_i  the mixture p(topic | i): argmin ‖X_i − X_Sᵀ·b‖² over b ≥ 0, Σ b = 1
//	ρ    with noise, the reliability of each row: s/(s+σ²), where σ² is its noise and s = ‖X_i − X̄‖² its distance from
//	     the mean row; at the end B̆_i becomes ρ·B̆_i + (1−ρ)·p(topic), the best linear predictor, except for anchors;
//	     B changes with it, and A does not
//	B    by Bayes' rule, B_ik = B̆_ki·d_i / Σ_j B̆_kj·d_j
//	A    diag(B_SS)⁻¹·(C+E)_SS·diag(B_SS)⁻¹, since C = B·A·Bᵀ and B_SS is diagonal
//
// With Polish, P_k are the items with B̆_ki ≥ 0.6, X_S becomes the rows Σ_{i∈P_k} d_i·X_i / Σ_{i∈P_k} d_i, and the
// mixtures are found again. These rows lie within the hull of the anchors' rows, so that the mixtures are purer than
// those of C = B·A·Bᵀ. Then A is (G·B)⁻¹·(G·C·Gᵀ)·(G·B)⁻ᵀ, where G (K×N) indicates the P_k.
//
// Exact row sums are the sums of the true C, whose entries are not negative. A negative entry of Y·Yᵀ is an error of
// its low rank, and correcting it brings the row nearer to the row whose sum is known. So d stays as it is, and X is
// corrected. Factor row sums are sums of the entries that are corrected, and change with them.
//
// With factor row sums every row with d ≠ 0 may become an anchor, as published, even one with d < 0; its correction
// then makes d positive. With exact row sums only items with d > 0 may. Items without weight (d = 0, or d ≤ 0 with
// exact row sums) take no part: their mixture is the prior, and their row of B is zero.
//
// Of a y that several processes share, each has its rows of the mixtures, and everything else is the same on all of
// them. The process that holds an item returns the error that concerns it; the others wait until their job has ended.
//
// RowSums has N values. It may be nil with RowSumsFactor and without SamplingVariance. The error is a *RankError if
// there cannot be K topics, an *ItemError if some items cannot be worked with, a *NegativeRowsError if correcting rows
// would take too long, or that of ctx. It panics if the arrays are not of one shape.
func LAW(ctx context.Context, y *matrix.Tall, rowSums []float64, opts Options) (*Topics, error) {
	n, columns := y.Dims()
	opts.checkShapes(n, rowSums)
	k := cmp.Or(opts.Topics, columns)
	if err := checkTopics(k, n, columns); err != nil {
		return nil, err
	}
	if err := checkFactor(ctx, y, &opts); err != nil {
		return nil, err
	}
	in := inference{y: y, opts: &opts}
	var err error
	if in.weights, err = startWeights(ctx, y, rowSums, &opts); err != nil {
		return nil, err
	}
	if err := checkNegative(in.weights); err != nil {
		return nil, err
	}
	opts.SamplingVariance = scaledNoise(opts.SamplingVariance, rowSums, in.weights)
	if err := in.selectAnchors(ctx, k); err != nil {
		return nil, err
	}
	if err := in.mix(ctx); err != nil {
		return nil, err
	}
	return in.topics(ctx)
}

// checkShapes panics if an array does not have one value for each of the n items.
func (o *Options) checkShapes(n int, rowSums []float64) {
	if o.RowSums == RowSumsExact && len(rowSums) != n {
		panic("anchor: number of row sums is not the number of items")
	}
	if o.MinDF > 1 && len(o.DocumentFrequency) != n {
		panic("anchor: number of document frequencies is not the number of items")
	}
	if o.SamplingVariance != nil && len(o.SamplingVariance) != n {
		panic("anchor: number of variances is not the number of items")
	}
	if o.Topics > 0 && len(o.Fixed) > o.Topics {
		panic("anchor: more fixed corners than topics")
	}
	if o.SamplingVariance != nil && len(rowSums) != n {
		panic("anchor: noise without the row sums that it is relative to")
	}
}

func checkTopics(k, n, columns int) error {
	switch {
	case k < 2:
		return fmt.Errorf("anchor: number of topics is %d: there must be at least 2", k)
	case k > columns:
		return &RankError{Topics: k, Rank: columns, bound: fmt.Sprintf("the factor has only %d columns", columns)}
	case k > n:
		return &RankError{Topics: k, Rank: n, bound: fmt.Sprintf("there are only %d items", n)}
	}
	return nil
}

// checkFactor returns an error if y holds a value that is not finite.
func checkFactor(ctx context.Context, y *matrix.Tall, opts *Options) error {
	return eachItem(ctx, y.Layout(), opts.Workers, y.Rows(), func(i int) error {
		for _, v := range y.Row(i) {
			if !finite(v) {
				return opts.itemError(BadValue, []int{i}, "its row of the factor holds %v", v)
			}
		}
		return nil
	})
}

// leastShare is the least share of its true row sum by which an item's row is divided, with noise.
const leastShare = 0.5

// startWeights returns the row sums before any correction, which must be finite: a copy of rowSums with 0 in place of
// negative sums, or Y·(Yᵀe).
//
// With noise, the sums of the factor are raised to leastShare of the true sums. Where K topics explain less of an item,
// the quotient describes the rest more than the topics, and near 0 it explodes.
func startWeights(ctx context.Context, y *matrix.Tall, rowSums []float64, opts *Options) ([]float64, error) {
	weights := make([]float64, y.Rows())
	var columnSums []float64
	var layout matrix.Layout // nil: every process has all of rowSums
	if opts.RowSums == RowSumsFactor {
		columnSums, layout = kernel.ColumnSums(ctx, y, opts.Workers), y.Layout()
	}
	err := eachItem(ctx, layout, opts.Workers, len(weights), func(i int) error {
		if opts.RowSums == RowSumsFactor {
			weights[i] = kernel.Dot(columnSums, y.Row(i))
		} else {
			weights[i] = rowSums[i]
		}
		if !finite(weights[i]) {
			return opts.itemError(BadValue, []int{i}, "its row sum is %v", weights[i])
		}
		switch {
		case opts.RowSums == RowSumsExact:
			weights[i] = max(weights[i], 0)
		case opts.SamplingVariance != nil:
			weights[i] = max(weights[i], leastShare*rowSums[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return weights, kernel.Complete(ctx, layout, weights)
}

// candidateScales returns 1/d_i for the items that may become anchors and 0 for the others, and the number of the
// former.
func candidateScales(weights []float64, opts *Options) (scale []float64, candidates int) {
	scale = make([]float64, len(weights))
	for i, d := range weights {
		if d != 0 && (opts.MinDF <= 1 || opts.DocumentFrequency[i] >= opts.MinDF) {
			scale[i] = 1 / d
			candidates++
		}
	}
	for _, i := range slices.Concat(opts.Fixed...) { // not candidates, but their rows count
		if scale[i] != 0 {
			candidates--
		} else if weights[i] != 0 {
			scale[i] = 1 / weights[i]
		}
	}
	for _, i := range opts.Banned {
		if scale[i] != 0 {
			scale[i] = 0
			candidates--
		}
	}
	return scale, candidates
}

// sameRow is the distance of two anchors' rows, relative to the longer, up to which they count as the same: the square
// root of the machine precision. Below it, their squared distance is lost in the rounding of the Gram matrix from which
// the mixtures are computed.
const sameRow = 0x1p-26

// anchorRows returns the corrected rows X_S, K×L row-major: of groups of items, the mean rows. It returns an error if
// they cannot be the corners of a simplex: a row has no weight left or is zero, or two rows are the same.
func anchorRows(ctx context.Context, x *matrix.Tall, weights []float64, groups [][]int,
	opts *Options) ([]float64, error) {
	width := x.Cols()
	found, err := kernel.RowsOf(ctx, x, slices.Concat(groups...))
	if err != nil {
		return nil, err
	}
	rows := make([]float64, len(groups)*width)
	norms := make([]float64, len(groups))
	for a, group := range groups {
		row, of := rows[a*width:(a+1)*width], found[:len(group)*width]
		found = found[len(of):]
		for _, item := range group {
			if !(weights[item] > 0) {
				return nil, opts.itemError(NoCorner, []int{item}, "selected as an anchor, but its row sum is %v", weights[item])
			}
		}
		meanRow(row, of, weights, group)
		norms[a] = math.Sqrt(kernel.Dot(row, row))
		if norms[a] == 0 || !finite(norms[a]) {
			return nil, opts.itemError(NoCorner, group, "selected as an anchor, but its co-occurrence row has norm %v", norms[a])
		}
		for b := range a {
			distance := 0.0
			for j, v := range rows[b*width : (b+1)*width] {
				distance += (v - row[j]) * (v - row[j])
			}
			if math.Sqrt(distance) <= sameRow*max(norms[a], norms[b]) {
				return nil, opts.itemError(NoCorner, []int{groups[b][0], group[0]},
					"selected as anchors, but their co-occurrence rows are the same")
			}
		}
	}
	return rows, nil
}

// meanRow sets dst to the mean of the rows of some items, given their rows d_i·X_i one after the other.
func meanRow(dst, rows, weights []float64, items []int) {
	clear(dst)
	for at, i := range items {
		scale := weights[i] * float64(len(items))
		for j, v := range rows[at*len(dst):][:len(dst)] {
			dst[j] += v / scale
		}
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
