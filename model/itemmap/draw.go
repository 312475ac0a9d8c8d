// This file draws a map.

package itemmap

import (
	"context"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/model"
)

// Options say how a map is drawn. The zero value is ready to use.
type Options struct {
	Seed     uint64
	Workers  int                     // goroutines; 0 for one per processor
	Progress func(done, total int64) // is called between steps; may be nil
}

// Draw draws the map of a model. The error is that of ctx, or one of reading the model's factor.
func Draw(ctx context.Context, m *model.Model, o Options) (*Map, error) {
	p := &Map{Items: byEvidence(m)}
	if err := p.start(ctx, m, o); err != nil {
		return nil, err
	}
	p.fit()
	return p, nil
}

// start puts every item among the places of its topics: at their mean, weighted by the squares of its shares, with a
// little noise.
func (p *Map) start(ctx context.Context, m *model.Model, o Options) error {
	alike, err := Similarity(ctx, m, o.Workers)
	if err != nil {
		return err
	}
	x, y, _, err := Scaled(ctx, alike, m.Topics())
	if err != nil {
		return err
	}
	if x == nil {
		x, y = make([]float64, m.Topics()), make([]float64, m.Topics())
	}
	const noise = 0.05
	p.X, p.Y = make([]float32, len(p.Items)), make([]float32, len(p.Items))
	return kernel.Ranges(ctx, o.Workers, len(p.Items), 4096, func(first, last int) error {
		for j := first; j < last; j++ {
			i := int(p.Items[j])
			total, px, py := 0.0, 0.0, 0.0
			for k, share := range m.Mixtures.Row(i) {
				w := share * share
				total, px, py = total+w, px+w*x[k], py+w*y[k]
			}
			key := m.Vocabulary.Key(i)
			p.X[j] = float32(px/total + noise*random.Normal(o.Seed, random.MapStart, key, 0))
			p.Y[j] = float32(py/total + noise*random.Normal(o.Seed, random.MapStart, key, 1))
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
		p.X[j] = within((p.X[j] - (lowX+highX)/2), half)
		p.Y[j] = within((p.Y[j] - (lowY+highY)/2), half)
	}
}

// bounds returns the least and the greatest value; 0 of none.
func bounds(values []float32) (low, high float32) {
	if len(values) == 0 {
		return 0, 0
	}
	low, high = values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	return low, high
}

// within returns v/half, from −1 to 1; 0 if half is.
func within(v, half float32) float32 {
	if half == 0 {
		return 0
	}
	return max(min(v/half, 1), -1)
}
