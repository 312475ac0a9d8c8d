// This file draws a map.

package itemmap

import (
	"cmp"
	"context"
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
