// This file finds the neighbours of every item: those of the greatest cosine, as far as they are in cells near its own.

package itemmap

import (
	"context"
	"math"

	"anchorage/internal/kernel"
	"anchorage/internal/random"
	"anchorage/internal/toplist"
	"anchorage/matrix"
)

const (
	degree = 15 // neighbours of an item
	probes = 24 // cells in which the neighbours of a cell's items are looked for
)

// cells are the rows of a matrix in groups of rows that point about the same way.
type cells struct {
	rows    *matrix.Single // of length 1 or 0
	offsets []int32        // cell c has the rows members[offsets[c]:offsets[c+1]]
	members []int32
	centres []float32 // as many values as a padded row, for each cell
}

// neighbours returns the rows nearest to each row: those of row i from degree·i on, and −1 where it has fewer. Rows of
// zeros have none. The rows of vectors are scaled. They are put into about √N cells, and a row is compared with
// those of the probes nearest cells.
func neighbours(ctx context.Context, vectors *matrix.Single, key func(i int) uint64, o Options) ([]int32, error) {
	n := vectors.Rows()
	c := &cells{rows: vectors, offsets: []int32{0}}
	c.scale(o)
	near := make([]int32, degree*n)
	for at := range near {
		near[at] = -1
	}
	if err := c.gather(ctx, key, o); err != nil {
		return nil, err
	}
	stride, groups := vectors.Stride(), len(c.offsets)-1
	return near, kernel.ParallelWith(ctx, o.Workers, groups, func() func(g int) {
		scores, own, other := []float32(nil), []float32(nil), []float32(nil)
		alike := make([]float32, groups)
		return func(g int) {
			queries := c.members[c.offsets[g]:c.offsets[g+1]]
			lists := make([]toplist.List, len(queries))
			for q := range lists {
				lists[q] = toplist.New(degree)
			}
			own = c.copied(own, g)
			cells := toplist.New(probes)
			kernel.RowDots(alike, c.centres, c.centres[g*stride:][:stride])
			for h, v := range alike {
				cells.Offer(h, float64(v))
			}
			for _, probe := range cells.Sorted() {
				candidates := c.members[c.offsets[probe.Item]:c.offsets[probe.Item+1]]
				other = c.copied(other, probe.Item)
				scores = append(scores[:0], make([]float32, len(candidates))...)
				for q, i := range queries {
					kernel.RowDots(scores, other, own[q*stride:][:stride])
					floor := float32(lists[q].Floor())
					for r, score := range scores {
						if score >= floor && candidates[r] != i && score > 0 {
							lists[q].Offer(int(candidates[r]), float64(score))
							floor = float32(lists[q].Floor())
						}
					}
				}
			}
			for q, i := range queries {
				for rank, e := range lists[q].Sorted() {
					near[degree*int(i)+rank] = int32(e.Item)
				}
			}
		}
	})
}

// scale gives the rows length 1, except for those of zeros.
func (c *cells) scale(o Options) {
	kernel.Each(o.Workers, c.rows.Blocks(), func(b int) {
		_, first, last := c.rows.Block(b)
		for i := first; i < last; i++ {
			row, square := c.rows.Row(i), 0.0
			for _, v := range row {
				square += float64(v) * float64(v)
			}
			for j := range row {
				if square > 0 {
					row[j] = float32(float64(row[j]) / math.Sqrt(square))
				}
			}
		}
	})
}

// gather puts the rows into cells: those to whose centre they are nearest, which is first a random row, and then the
// mean of those that were in the cell.
func (c *cells) gather(ctx context.Context, key func(i int) uint64, o Options) error {
	n, stride := c.rows.Rows(), c.rows.Stride()
	groups := int(math.Sqrt(float64(n)))
	for _, i := range random.Order(n, o.Seed, random.MapCells, key, 0)[:groups] {
		c.centres = append(c.centres, c.rows.PaddedRow(i)...)
	}
	home := make([]int32, n)
	const rounds = 3
	for round := range rounds {
		err := kernel.Ranges(ctx, o.Workers, n, matrix.BlockRows, func(first, last int) error {
			scores := make([]float32, groups)
			for i := first; i < last; i++ {
				kernel.RowDots(scores, c.centres, c.rows.PaddedRow(i))
				home[i] = -1
				best := float32(0)
				for g, score := range scores {
					if score > best {
						home[i], best = int32(g), score
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		most := n
		if round == rounds-1 {
			most = max(2*n/groups, 1)
		}
		c.split(home, groups, most)
		groups = len(c.offsets) - 1
		c.centres = make([]float32, groups*stride)
		kernel.Each(o.Workers, groups, func(g int) {
			centre := c.centres[g*stride:][:stride]
			for _, i := range c.members[c.offsets[g]:c.offsets[g+1]] {
				for j, v := range c.rows.Row(int(i)) {
					centre[j] += v
				}
			}
			square := float32(0)
			for _, v := range centre {
				square += v * v
			}
			for j := range centre {
				if square > 0 {
					centre[j] /= float32(math.Sqrt(float64(square)))
				}
			}
		})
	}
	return nil
}

// split makes cells of the rows of each home, in several parts if they are more than most. Rows without a home, below
// 0, are in no cell.
func (c *cells) split(home []int32, groups, most int) {
	ends := make([]int32, groups+1)
	for _, g := range home {
		if g >= 0 {
			ends[g+1]++
		}
	}
	c.offsets = c.offsets[:1]
	for g := range groups {
		for first := ends[g]; first < ends[g]+ends[g+1]; first += int32(most) {
			c.offsets = append(c.offsets, min(first+int32(most), ends[g]+ends[g+1]))
		}
		ends[g+1] += ends[g]
	}
	c.members = make([]int32, ends[groups])
	for i, g := range home {
		if g >= 0 {
			c.members[ends[g]] = int32(i)
			ends[g]++
		}
	}
}

// copied returns the padded rows of a cell, one after the other, in room.
func (c *cells) copied(room []float32, g int) []float32 {
	room = room[:0]
	for _, i := range c.members[c.offsets[g]:c.offsets[g+1]] {
		room = append(room, c.rows.PaddedRow(int(i))...)
	}
	return room
}
