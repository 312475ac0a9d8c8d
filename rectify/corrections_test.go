// This file tests the corrections of ENN: against a dense twin, and that neither the mode nor the workers change a bit.

package rectify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"anchorage/internal/kernel"
	"anchorage/internal/long"
	"anchorage/matrix"
)

// leaning returns an N×K factor of random rows, the first of them twice as long. The share of negative products of
// those with the others is that of a normal variable below −bias.
func leaning(n, k, long int, bias float64) *matrix.Single {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	y, root := matrix.NewSingle(n, k), math.Pow(float64(k), 0.25)
	for i := range n {
		row, scale := y.Row(i), 1.0
		if i < long {
			scale = 2
		}
		for j := range row {
			row[j] = float32(scale * rng.NormFloat64() / root)
		}
		row[k-1] = float32(scale * math.Sqrt(math.Abs(bias)))
		if bias < 0 && i < long {
			row[k-1] *= -1
		}
	}
	return y
}

// waves returns an N×L matrix of numbers without pattern.
func waves(n, l int) *matrix.Single {
	x := matrix.NewSingle(n, l)
	for i := range n {
		for j := range x.Row(i) {
			x.Row(i)[j] = float32(math.Cos(float64(3*i + 5*j*j)))
		}
	}
	return x
}

// placements are the ways to keep corrections of y, with what must come of them.
func placements(t *testing.T) map[string]Corrections {
	t.Helper()
	return map[string]Corrections{
		"memory":          {},
		"recompute":       {Mode: CorrectionsRecompute},
		"spill":           {Mode: CorrectionsSpill, SpillDir: t.TempDir()},
		"little memory":   {Bytes: 100_000},
		"hardly a memory": {Bytes: 1},
	}
}

// TestCorrectionsAgainstDense compares E, its sum and its product with the dense definition, over sets I of every size,
// in every mode, from hardly any negative entry to nearly all.
func TestCorrectionsAgainstDense(t *testing.T) {
	for _, c := range []struct {
		n, k, l int
		bias    float64
	}{{70, 5, 7, 0.5}, {1, 1, 1, 1}, {700, 8, 17, 3}, {1200, 20, 33, 1.28}, {1100, 9, 20, -1.5}} {
		y, x := leaning(c.n, c.k, c.n/5, c.bias), waves(c.n, c.l)
		for _, rows := range []int{1, 2, 48, 69, 70, c.n} {
			if rows > c.n || c.n > 100 && rows != 70 && rows != c.n {
				continue
			}
			want := denseCorrections(y, x, rows)
			for name, place := range placements(t) {
				t.Run(fmt.Sprintf("N %d, I %d, bias %v, %s", c.n, rows, c.bias, name), func(t *testing.T) {
					want.check(t, y, x, rows, place)
				})
			}
		}
	}
}

// denseResult is what must come of corrections: E·x and how far rounding may carry from it, ΣE, and the entries of P.
type denseResult struct {
	product [][]float64
	bound   []float64
	sum     float64
	entries int64
}

// denseCorrections computes E entry by entry.
func denseCorrections(y, x *matrix.Single, rows int) *denseResult {
	c := newCorrections(y.Rows(), rows, Corrections{}, 1)
	norms := kernel.SquaredNorms(context.Background(), y, 1)
	c.choose(norms)
	d := &denseResult{bound: make([]float64, y.Rows())}
	for i := range y.Rows() {
		product := make([]float64, x.Cols())
		for j := range y.Rows() {
			if !c.member[i] && !c.member[j] {
				continue
			}
			v := 0.0
			for p, a := range y.Row(i) {
				v -= float64(a) * float64(y.Row(j)[p])
			}
			if v <= 0 {
				continue
			}
			d.sum += v
			d.bound[i] += 1e-6*v + 3e-7*math.Sqrt(norms[i]*norms[j]) // of the sum, and of the entry
			if c.member[j] {
				d.entries++
			}
			for l := range product {
				product[l] += v * float64(x.Row(j)[l])
			}
		}
		d.product = append(d.product, product)
	}
	return d
}

func (d *denseResult) check(t *testing.T, y, x *matrix.Single, rows int, place Corrections) {
	t.Helper()
	ctx := context.Background()
	c := newCorrections(y.Rows(), rows, place, 2)
	defer c.Close()
	if err := c.build(ctx, y, 2); err != nil {
		t.Fatal(err)
	}
	once, twice := matrix.Like(x), matrix.Like(x)
	for i := range twice.Rows() {
		twice.Row(i)[0] = 1 // the product is added to what is there
	}
	for _, z := range []*matrix.Single{once, twice} {
		if err := c.apply(ctx, z, x); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range d.product {
		for l, v := range want {
			if off := math.Abs(float64(once.Row(i)[l]) - v); !(off <= d.bound[i]) {
				t.Fatalf("row %d: product %d is %v, want %v within %v", i, l, once.Row(i)[l], v, d.bound[i])
			}
		}
		if off := math.Abs(float64(twice.Row(i)[0]) - 1 - want[0]); !(off <= d.bound[i]+1e-6) {
			t.Fatalf("row %d: %v was added to 1, want %v", i, twice.Row(i)[0]-1, want[0])
		}
	}
	if !(math.Abs(c.sum-d.sum) <= 1e-5*d.sum) {
		t.Fatalf("ΣE is %v, want %v", c.sum, d.sum)
	}
	if off := c.entries - d.entries; off < -2 || off > 2 { // products next to zero may differ in sign
		t.Fatalf("%d entries, want %d", c.entries, d.entries)
	}
}

// bitsOfCorrections returns what a build and two applications give, in full.
func bitsOfCorrections(t *testing.T, y, x *matrix.Single, rows, workers int, fused bool,
	place Corrections) (string, *corrections) {
	t.Helper()
	ctx := context.Background()
	c := newCorrections(y.Rows(), rows, place, workers)
	t.Cleanup(func() { c.Close() })
	z := matrix.Like(x)
	var err error
	if fused {
		err = c.buildAndApply(ctx, y, z, x, 1)
	} else if err = c.build(ctx, y, 2); err == nil {
		err = c.apply(ctx, z, x)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := c.apply(ctx, z, x); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprint(&b, c.sum, c.entries)
	for i := range z.Rows() {
		for _, v := range z.Row(i) {
			fmt.Fprintf(&b, "%x ", math.Float32bits(v))
		}
	}
	return b.String(), c
}

func TestCorrectionsSameBits(t *testing.T) {
	for _, bias := range []float64{1.28, -0.27, -1.5} { // sparse tiles, some of both, dense tiles
		const n, k, rows = 3000, 6, 150
		y, x := leaning(n, k, rows, bias), waves(n, 20)
		for i := 1000; i < 1300; i++ {
			clear(y.Row(i)) // whole rows of tiles without anything
		}
		want, _ := bitsOfCorrections(t, y, x, rows, 1, false, Corrections{Mode: CorrectionsRecompute})
		for name, place := range placements(t) {
			for _, workers := range long.Grid(1, 3, 1, 2, 7) {
				for _, fused := range []bool{false, true} {
					if got, _ := bitsOfCorrections(t, y, x, rows, workers, fused, place); got != want {
						t.Errorf("bias %v, %s, %d workers, fused %v: other bits than computed again by one worker",
							bias, name, workers, fused)
					}
				}
			}
		}
	}
}

// TestCorrectionsPlaces checks that modes do what they say.
func TestCorrectionsPlaces(t *testing.T) {
	const n, rows = 3000, 150
	y, x := leaning(n, 6, rows, 0.5), waves(n, 3)
	for name, want := range map[string]CorrectionsMode{"memory": CorrectionsMemory, "recompute": CorrectionsRecompute,
		"spill": CorrectionsSpill} {
		_, c := bitsOfCorrections(t, y, x, rows, 2, false, placements(t)[name])
		for s := range c.stripes {
			if c.stripes[s].place != want {
				t.Errorf("%s: stripe %d is at place %s", name, s, c.stripes[s].place)
			}
		}
		least := entryBytes * c.entries
		if want == CorrectionsRecompute {
			least = 0
		}
		if kept := c.kept.Load(); c.placed != want || kept < least || kept > 2*least {
			t.Errorf("%s: %d bytes by %s for %d entries", name, kept, c.placed, c.entries)
		}
	}
	// Where a part fits, a part is kept.
	_, c := bitsOfCorrections(t, y, x, rows, 2, false, Corrections{Bytes: 300_000})
	kept := 0
	for s := range c.stripes {
		if c.stripes[s].place == CorrectionsMemory {
			kept++
		}
	}
	if kept == 0 || kept == len(c.stripes) || c.kept.Load() > 300_000 {
		t.Errorf("%d of %d stripes in memory, %d bytes", kept, len(c.stripes), c.kept.Load())
	}
	// What is applied once is kept nowhere.
	for name, place := range placements(t) {
		c := newCorrections(n, rows, place, 2)
		if err := c.buildAndApply(context.Background(), y, matrix.Like(x), x, 0); err != nil {
			t.Fatal(err)
		}
		if c.placed != CorrectionsRecompute || c.kept.Load() != 0 {
			t.Errorf("%s: %d bytes by %s for one application", name, c.kept.Load(), c.placed)
		}
		c.Close()
	}
}

// TestCorrectionsAfterAnother checks that nothing of an earlier build is left in a later one, whatever the modes.
func TestCorrectionsAfterAnother(t *testing.T) {
	const n, rows = 2500, 120
	first, second, x := leaning(n, 7, rows, 0.2), leaning(n, 6, rows, 1.5), waves(n, 18)
	for _, mode := range []CorrectionsMode{CorrectionsMemory, CorrectionsSpill, CorrectionsRecompute} {
		place := Corrections{Mode: mode, Bytes: 1 << 30, SpillDir: t.TempDir()}
		want, _ := bitsOfCorrections(t, second, x, rows, 2, false, place)
		c := newCorrections(n, rows, place, 3)
		ctx, z := context.Background(), matrix.Like(x)
		wide := waves(n, 40)
		for i, step := range []func() error{
			func() error { return c.build(ctx, first, 1) },
			func() error { return c.apply(ctx, matrix.Like(wide), wide) }, // another number of columns
			func() error { return c.buildAndApply(ctx, first, z, x, 0) },
			func() error { z.Clear(); return c.build(ctx, second, 2) },
			func() error { return c.apply(ctx, z, x) },
			func() error { return c.apply(ctx, z, x) },
		} {
			if err := step(); err != nil {
				t.Fatalf("%s, step %d: %v", mode, i, err)
			}
		}
		var b strings.Builder
		fmt.Fprint(&b, c.sum, c.entries)
		for i := range n {
			for _, v := range z.Row(i) {
				fmt.Fprintf(&b, "%x ", math.Float32bits(v))
			}
		}
		if b.String() != want {
			t.Errorf("%s: other bits than without an earlier build", mode)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCorrectionsChooseTiesByIndex(t *testing.T) {
	c := newCorrections(6, 3, Corrections{}, 1)
	c.choose([]float64{1, 2, 1, 1, 3, 1})
	if !slices.Equal(c.rows, []int{0, 1, 4}) {
		t.Fatalf("chose %v", c.rows)
	}
}

func TestStripeRows(t *testing.T) {
	for _, c := range [][3]int{{1, 1, 512}, {20_000, 2000, 1024}, {200_000, 2000, 4096}, {200_000, 11_000, 1024},
		{1_000_000, 65_536, 1024}} {
		if got := stripeRows(c[0], c[1]); got != c[2] || matrix.BlockRows%got != 0 || got%kernel.TileRows != 0 {
			t.Errorf("%d items, %d rows: stripes of %d rows, want %d", c[0], c[1], got, c[2])
		}
	}
}

// ε is the greatest squared norm outside of I, and bounds every entry that is not checked; with all rows in I there are
// no such entries.
func TestCorrectionsEpsilon(t *testing.T) {
	const n, k, rows = 120, 5, 40
	y := leaning(n, k, 30, 0.1)
	c := newCorrections(n, rows, Corrections{}, 2)
	defer c.Close()
	if err := c.build(t.Context(), y, 0); err != nil {
		t.Fatal(err)
	}
	product := func(i, j int) (sum float64) {
		for at, v := range y.Row(i) {
			sum += float64(v) * float64(y.Row(j)[at])
		}
		return sum
	}
	greatest, lowest := 0.0, 0.0
	for i := range n {
		if !c.member[i] {
			greatest = max(greatest, product(i, i))
		}
		for j := range n {
			if !c.member[i] && !c.member[j] {
				lowest = min(lowest, product(i, j))
			}
		}
	}
	if math.Abs(c.epsilon-greatest) > 1e-6*greatest || lowest < -c.epsilon || lowest >= 0 {
		t.Errorf("ε is %v, the greatest squared norm outside of I %v, the lowest entry there %v", c.epsilon, greatest, lowest)
	}
	all := newCorrections(n, n, Corrections{}, 2)
	defer all.Close()
	if err := all.build(t.Context(), y, 0); err != nil || all.epsilon != 0 {
		t.Errorf("with all rows in I ε is %v: %v", all.epsilon, err)
	}
	result, err := ENN(t.Context(), planted(t, 1, 90, 4, 0.3), Options{Iterations: 3, Rows: 30})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range result.Iterations {
		if !(i.Epsilon > 0) {
			t.Errorf("iteration %d has ε = %v", i.Number, i.Epsilon)
		}
	}
}
