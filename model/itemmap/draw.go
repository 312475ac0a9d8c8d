// This file finds how alike topics are, lays them out, and draws a map of the items from there.

package itemmap

import (
	"cmp"
	"context"
	"math"
	"slices"

	"anchorage/internal/kernel"
	"anchorage/internal/process"
	"anchorage/internal/random"
	"anchorage/matrix"
	"anchorage/model"
)

// Options say how a map is drawn. The zero value is ready to use.
type Options struct {
	Seed     uint64
	Workers  int                     // goroutines; 0 for one per processor
	Progress func(done, total int64) // is called between steps; may be nil
}

// itemBytes is the memory of a map of one item while it is drawn, beside its vector.
const itemBytes = 250

// Draw draws the map of a model. The error is that of ctx, one of reading the model's factor, or one that wraps
// syscall.ENOMEM if that does not fit.
func Draw(ctx context.Context, m *model.Model, o Options) (*Map, error) {
	n := m.Vocabulary.Len()
	if err := process.Reserve(matrix.Bytes[float32](n, m.Topics()) + int64(n)*itemBytes); err != nil {
		return nil, err
	}
	x, y, err := start(ctx, m, o)
	if err != nil {
		return nil, err
	}
	near, err := graph(ctx, m, o)
	if err != nil {
		return nil, err
	}
	if err := descend(ctx, x, y, join(near), o); err != nil {
		return nil, err
	}
	p := &Map{Items: byEvidence(m)}
	for _, i := range p.Items {
		p.X, p.Y = append(p.X, x[i]), append(p.Y, y[i])
	}
	p.fit()
	return p, nil
}

// graph returns the neighbours of all items. One that occurs with no other has the first item of its topic.
func graph(ctx context.Context, m *model.Model, o Options) ([]int32, error) {
	vectors, err := m.Vectors(ctx)
	if err != nil {
		return nil, err
	}
	near, err := neighbours(ctx, vectors, m.Vocabulary.Key, o)
	for i := range len(near) / degree {
		if first := m.Prominent[m.TopTopic(i)]; near[degree*i] < 0 && len(first) > 0 && first[0].Item != i {
			near[degree*i] = int32(first[0].Item)
		}
	}
	return near, err
}

// start puts every item among the places of its topics: at their mean, weighted by the squares of its shares, with a
// little noise.
func start(ctx context.Context, m *model.Model, o Options) (x, y []float32, err error) {
	n, k := m.Vocabulary.Len(), m.Topics()
	alike, err := Similarity(ctx, m, o.Workers)
	if err != nil {
		return nil, nil, err
	}
	tx, ty, _, err := Scaled(ctx, alike, k)
	if err != nil {
		return nil, nil, err
	}
	if tx == nil {
		tx, ty = make([]float64, k), make([]float64, k)
	}
	const noise = 0.05
	x, y = make([]float32, n), make([]float32, n)
	return x, y, kernel.Ranges(ctx, o.Workers, n, matrix.BlockRows, func(first, last int) error {
		for i := first; i < last; i++ {
			total, px, py, key := 0.0, 0.0, 0.0, m.Vocabulary.Key(i)
			for t, share := range m.Mixtures.Row(i) {
				w := share * share
				total, px, py = total+w, px+w*tx[t], py+w*ty[t]
			}
			x[i] = float32(px/total + noise*random.Normal(o.Seed, random.MapStart, key, 0))
			y[i] = float32(py/total + noise*random.Normal(o.Seed, random.MapStart, key, 1))
		}
		return nil
	})
}

// fit moves and scales the map into [−1, 1]², in the same proportion along both axes.
func (p *Map) fit() {
	lowX, highX := bounds(p.X)
	lowY, highY := bounds(p.Y)
	half := max(highX-lowX, highY-lowY) / 2
	for j := range p.X {
		p.X[j], p.Y[j] = within(p.X[j], lowX, highX, half), within(p.Y[j], lowY, highY, half)
	}
}

// bounds returns the least and the greatest of values; 0 of none.
func bounds(values []float32) (low, high float32) {
	if len(values) == 0 {
		return 0, 0
	}
	return slices.Min(values), slices.Max(values)
}

// within returns how far v is from the middle between low and high, in units of half.
func within(v, low, high, half float32) float32 {
	if half == 0 {
		return 0
	}
	return max(min((v-(low+high)/2)/half, 1), -1)
}

// byEvidence returns the items of a model in the order of a Map.
func byEvidence(m *model.Model) []int32 {
	order := make([]int32, m.Vocabulary.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.DocumentFrequency[b], m.DocumentFrequency[a]), cmp.Compare(a, b))
	})
	return order
}

// Similarity returns how alike the topics of a model are, K×K, from 0 to 1: the mean of the Bhattacharyya coefficient
// Σ_i √(b_ik·b_il) over the items by which topics are read, of B scaled to sum to 1 over them, and of
// A_kl/√(A_kk·A_ll), between 0 and 1. The error is that of ctx.
func Similarity(ctx context.Context, m *model.Model, workers int) ([]float64, error) {
	k := m.Topics()
	items, sums := readItems(m)
	s := make([]float64, k*k)
	for first := 0; first < len(items); first += matrix.BlockRows {
		last := min(first+matrix.BlockRows, len(items))
		roots := matrix.NewTall(last-first, k)
		for n, i := range items[first:last] {
			row := roots.Row(n)
			m.ItemRow(row, i)
			for a, v := range row {
				row[a] = math.Sqrt(v / sums[a])
			}
		}
		for at, v := range kernel.Gram(ctx, roots, roots, workers) {
			s[at] += v
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	joint := m.TopicJoint
	for a := range k {
		for b := range a {
			c := joint[a*k+b] / math.Sqrt(joint[a*k+a]*joint[b*k+b])
			if !(c > 0) { // also of topics with nothing on the diagonal
				c = 0
			}
			s[a*k+b] = (min(s[a*k+b], 1) + min(c, 1)) / 2
			s[b*k+a] = s[a*k+b]
		}
		s[a*k+a] = 1
	}
	return s, nil
}

// mostRead bounds the items by which topics are compared: the product with them takes K² times as many steps.
const mostRead = 8000

// readItems returns the items by which topics are read, the first ones of each if those are many, and the sums of B
// over them.
func readItems(m *model.Model) (items []int, sums []float64) {
	k := m.Topics()
	sums = make([]float64, k)
	row, taken := make([]float64, k), make(map[int]bool)
	for _, list := range m.Prominent {
		for _, listed := range list[:min(len(list), max(mostRead/k, 4))] {
			if taken[listed.Item] {
				continue
			}
			taken[listed.Item] = true
			m.ItemRow(row, listed.Item)
			for a, v := range row {
				sums[a] += v
			}
			items = append(items, listed.Item)
		}
	}
	for a, sum := range sums {
		if !(sum > 0) {
			sums[a] = 1
		}
	}
	return items, sums
}

// Scaled returns the two leading coordinates of n points with the inner products s, and the share of the positive part
// of the spectrum that they hold: classical scaling (Torgerson, Psychometrika 17, 1952). Without two directions it
// returns nil. The error is that of ctx.
func Scaled(ctx context.Context, s []float64, n int) (x, y []float64, kept float64, err error) {
	means, all := make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			means[i] += s[i*n+j] / float64(n)
		}
		all += means[i] / float64(n)
	}
	centred := make([]float64, n*n)
	for i := range n {
		for j := range n {
			centred[i*n+j] = s[i*n+j] - means[i] - means[j] + all
		}
	}
	values, vectors, err := kernel.LeadingEigen(ctx, centred, n, 2, 1)
	if err != nil || !(values[1] > 0) {
		return nil, nil, 0, ctx.Err()
	}
	positive := 0.0
	for _, v := range values {
		positive += max(v, 0)
	}
	for j, axis := range []*[]float64{&x, &y} {
		far := 0.0
		for i := range n {
			v := vectors[i*2+j] * math.Sqrt(values[j])
			*axis = append(*axis, v)
			if math.Abs(v) > math.Abs(far) {
				far = v
			}
		}
		for i := range n { // the sign of an eigenvector means nothing
			(*axis)[i] = math.Copysign(1, far) * (*axis)[i]
		}
	}
	return x, y, (values[0] + values[1]) / positive, nil
}
