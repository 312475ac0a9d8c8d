package random

import (
	"fmt"
	"math"
	"math/bits"
	"os"
	"regexp"
	"slices"
	"testing"
)

// arguments are those of At.
type arguments [4]uint64

func (a arguments) at() uint64 { return At(a[0], Stage(a[1]), a[2], a[3]) }

var argumentNames = [4]string{"seed", "stage", "key", "index"}

// typical returns arguments as programs have them: small numbers except for the key, of which every second one is a
// hash.
func typical(sample int) arguments {
	a := arguments{uint64(sample % 7), uint64(1 + sample%20), uint64(sample), uint64(sample % 130)}
	if sample%2 == 1 {
		a[2] *= 0xd6e8feb86659fd93
	}
	return a
}

// TestValues pins the function, by values that a program in another language computed: sketches and checkpoints depend
// on it.
func TestValues(t *testing.T) {
	for _, test := range []struct {
		seed       uint64
		stage      Stage
		key, index uint64
		want       uint64
	}{
		{0, 0, 0, 0, 0x2130748aaac80268},
		{1, SketchSigns, 0x1234567890abcdef, 2, 0x95f5bf6d1d2d58ca},
		{math.MaxUint64, Test, math.MaxUint64, math.MaxUint64, 0x636f7a2a04ed29e9},
	} {
		if got := At(test.seed, test.stage, test.key, test.index); got != test.want {
			t.Errorf("At(%d, %d, %d, %d) is %#x, want %#x", test.seed, test.stage, test.key, test.index, got, test.want)
		}
	}
}

// TestSplitMix64 holds mix against the first outputs of SplitMix64 with the state 1234567, as published with the
// reference implementation (Vigna, prng.di.unimi.it/splitmix64.c; the values are those of Rosetta Code).
func TestSplitMix64(t *testing.T) {
	want := []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821}
	for i, w := range want {
		if got := mix(1234567 + gamma*uint64(i)); got != w {
			t.Errorf("output %d is %d, want %d", i, got, w)
		}
	}
	column := Column(1234567 + gamma)
	for i, w := range want {
		if got := column.At(uint64(i)); got != w || column.AtStep(Step(uint64(i))) != w {
			t.Errorf("key %d has %d, want output %d of SplitMix64, %d", i, got, i, w)
		}
	}
}

// TestAvalanche flips every bit of every argument: each bit of the result must change half of the time, whichever it
// is.
func TestAvalanche(t *testing.T) {
	const samples = 20_000
	// The number of changes is binomial: 64·64·4 of them stay within 6 standard deviations.
	limit := 6 * math.Sqrt(samples) / 2
	for argument, name := range argumentNames {
		for in := range 64 {
			var changes [64]int
			for s := range samples {
				a := typical(s)
				before := a.at()
				a[argument] ^= 1 << in
				for d := before ^ a.at(); d != 0; d &= d - 1 {
					changes[bits.TrailingZeros64(d)]++
				}
			}
			for out, n := range changes {
				if math.Abs(float64(n)-samples/2) > limit {
					t.Errorf("bit %d of the %s changes bit %d of the result %d times of %d", in, name, out, n, samples)
				}
			}
		}
	}
}

// TestNeighbours compares numbers whose arguments lie next to each other: of equally many bits each agrees half of the
// time, and the products of their Symmetric numbers have the mean 0.
func TestNeighbours(t *testing.T) {
	const samples = 200_000
	for argument, name := range argumentNames {
		for _, step := range []uint64{1, 2, 3, 64, 1 << 32} {
			equal, products := 0, 0.0
			for s := range samples {
				a := typical(s)
				b := a
				b[argument] += step
				equal += bits.OnesCount64(^(a.at() ^ b.at()))
				products += (2*unit(a.at()) - 1) * (2*unit(b.at()) - 1)
			}
			if off := (float64(equal) - 32*samples) / (4 * math.Sqrt(samples)); math.Abs(off) > 5 {
				t.Errorf("%s + %d: equal bits are %.1f standard deviations off", name, step, off)
			}
			// The product of two numbers of variance 1/3 has the variance 1/9.
			if off := 3 * products / math.Sqrt(samples); math.Abs(off) > 5 {
				t.Errorf("%s + %d: the correlation is %.1f standard deviations off", name, step, off)
			}
		}
	}
}

// TestColumnsOfSigns holds columns and rows of a matrix of signs against each other: the sum of products of two is a
// random walk.
func TestColumnsOfSigns(t *testing.T) {
	const rows, columns = 4096, 130
	signs := make([][]float64, rows)
	for i := range signs {
		signs[i] = make([]float64, columns)
		Signs(signs[i], 3, Test, uint64(i), 0)
	}
	var squares float64
	for a := range columns {
		for b := range a {
			sum := 0.0
			for i := range rows {
				sum += signs[i][a] * signs[i][b]
			}
			if squares += sum * sum / rows; math.Abs(sum) > 6*math.Sqrt(rows) {
				t.Errorf("columns %d and %d have the product %v", a, b, sum)
			}
		}
	}
	const pairs = columns * (columns - 1) / 2
	if mean := squares / pairs; math.Abs(mean-1) > 5*math.Sqrt(2./pairs) {
		t.Errorf("squared products of columns are %.3f times what they should be", mean)
	}
	for i := 1; i < rows; i++ {
		sum := 0.0
		for j := range columns {
			sum += signs[i][j] * signs[i-1][j]
		}
		if math.Abs(sum) > 6*math.Sqrt(columns) {
			t.Errorf("rows %d and %d have the product %v", i-1, i, sum)
		}
	}
}

// TestSignsFromAnyColumn wants a row to be the same whatever part of it is asked for, and to be bits of At.
func TestSignsFromAnyColumn(t *testing.T) {
	row := make([]float64, 200)
	Signs(row, 5, Test, 77, 0)
	for j, v := range row {
		if want := 1 - 2*float64(At(5, Test, 77, uint64(j/64))>>(j%64)&1); v != want {
			t.Fatalf("column %d is %v, want %v", j, v, want)
		}
	}
	for _, first := range []int{0, 1, 63, 64, 65, 127, 128, 199} {
		for _, width := range []int{0, 1, 64, 65} {
			part := make([]float64, min(width, len(row)-first))
			if Signs(part, 5, Test, 77, first); !slices.Equal(part, row[first:first+len(part)]) {
				t.Errorf("columns from %d on differ from those of the whole row", first)
			}
		}
	}
}

// TestUniform divides (0, 1) into equal parts, and (0, 1)² for pairs of neighbours by key and by index.
func TestUniform(t *testing.T) {
	const parts, samples = 64, 1 << 20
	check := func(name string, draw func(s int) (u, v float64)) {
		var counts [parts * parts]int
		for s := range samples {
			u, v := draw(s)
			if !(u > 0 && u < 1 && v > 0 && v < 1) {
				t.Fatalf("%s: %v or %v does not lie between 0 and 1", name, u, v)
			}
			counts[int(u*parts)*parts+int(v*parts)]++
		}
		const want = samples / (parts * parts)
		square := 0.0
		for _, n := range counts {
			square += (float64(n) - want) * (float64(n) - want) / want
		}
		const freedom = parts*parts - 1
		if off := (square - freedom) / math.Sqrt(2*freedom); math.Abs(off) > 5 {
			t.Errorf("%s: chi-square is %.1f standard deviations off", name, off)
		}
	}
	check("keys", func(s int) (u, v float64) {
		return Uniform(1, Test, uint64(2*s), 0), Uniform(1, Test, uint64(2*s+1), 0)
	})
	check("indices", func(s int) (u, v float64) {
		return Uniform(1, Test, uint64(s), 0), Uniform(1, Test, uint64(s), 1)
	})
	check("one key", func(s int) (u, v float64) {
		return Uniform(1, Test, 9, uint64(2*s)), Uniform(1, Test, 9, uint64(2*s+1))
	})
	check("seeds", func(s int) (u, v float64) {
		return Uniform(uint64(s), Test, 3, 0), Uniform(uint64(s+1), Test, 3, 0)
	})
	check("stages", func(s int) (u, v float64) {
		return Uniform(1, SketchSigns, uint64(s), 0), Uniform(1, EigenStart, uint64(s), 0)
	})
}

// TestMoments holds Symmetric and Normal numbers, and those of a Source, against their first four moments.
func TestMoments(t *testing.T) {
	const samples = 400_000
	source := NewSource()
	source.Seek(4, Test, 8)
	for name, test := range map[string]struct {
		draw   func(s int) float64
		second float64 // of the distribution, as is fourth
		fourth float64
		eighth float64
	}{
		"symmetric": {func(s int) float64 { return Symmetric(2, Test, uint64(s), 0) }, 1. / 3, 1. / 5, 1. / 9},
		"normal":    {func(s int) float64 { return Normal(2, Test, uint64(s/10), uint64(s%10)) }, 1, 3, 105},
		"source":    {func(int) float64 { return source.NormFloat64() }, 1, 3, 105},
	} {
		var sums [5]float64
		for s := range samples {
			x := test.draw(s)
			for power, v := 1, x; power <= 4; power, v = power+1, v*x {
				sums[power] += v / samples
			}
		}
		within := func(power int, want, variance float64) {
			if off := (sums[power] - want) / math.Sqrt(variance/samples); math.Abs(off) > 5 {
				t.Errorf("%s: moment %d is %.4f, %.1f standard errors off %.4f", name, power, sums[power], off, want)
			}
		}
		within(1, 0, test.second)
		within(2, test.second, test.fourth-test.second*test.second)
		within(4, test.fourth, test.eighth-test.fourth*test.fourth)
	}
	for s := range samples {
		if v := Symmetric(0, Test, uint64(s), 1); !(v > -1 && v < 1) || v == 0 {
			t.Fatalf("a symmetric number is %v", v)
		}
	}
}

// TestSourceIsAt wants the words of a source to be At by increasing index, after every Seek.
func TestSourceIsAt(t *testing.T) {
	s := NewSource()
	for key := range uint64(3) {
		s.Seek(6, Test, key)
		for index := range uint64(100) {
			if got, want := s.Uint64(), At(6, Test, key, index); got != want {
				t.Fatalf("word %d of key %d is %#x, want %#x", index, key, got, want)
			}
		}
	}
}

// TestOrder wants every number once, each place to be as likely for each number, and an order that follows the keys.
func TestOrder(t *testing.T) {
	const n, rounds = 8, 40_000
	var counts [n][n]int
	for round := range uint64(rounds) {
		order := Order(n, 1, Test, nil, round)
		seen := slices.Clone(order)
		if slices.Sort(seen); !slices.Equal(seen, []int{0, 1, 2, 3, 4, 5, 6, 7}) {
			t.Fatalf("%v is no order of %d numbers", order, n)
		}
		for at, i := range order {
			counts[i][at]++
		}
	}
	for i, places := range counts {
		for at, count := range places {
			if off := (float64(count) - rounds/n) / math.Sqrt(rounds*float64(n-1)/(n*n)); math.Abs(off) > 5 {
				t.Errorf("number %d is at place %d %d times of %d", i, at, count, rounds)
			}
		}
	}
	names := []uint64{40, 10, 30, 20}
	turned := []uint64{20, 30, 10, 40}
	of := func(keys []uint64) string {
		var order []uint64
		for _, i := range Order(len(keys), 9, Test, func(i int) uint64 { return keys[i] }, 0) {
			order = append(order, keys[i])
		}
		return fmt.Sprint(order)
	}
	if of(names) != of(turned) {
		t.Errorf("things in another order come out as %s and %s", of(names), of(turned))
	}
	if got := Order(3, 1, Test, func(int) uint64 { return 5 }, 0); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("things with the same key come in the order %v", got)
	}
	if len(Order(0, 1, Test, nil, 0)) != 0 {
		t.Error("an order of nothing is not empty")
	}
}

// TestStages wants every stage to have a value of its own, not that of one that is gone, and to say what its keys and
// indices are.
func TestStages(t *testing.T) {
	source, err := os.ReadFile("stage.go")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{"2": true, "3": true, "5": true, "7": true, "20": true, "24": true, "25": true, "27": true,
		"28": true, "40": true}
	gone := len(used)
	declared := regexp.MustCompile(`\t(\w+) +Stage = (\d+) +// .+?( \(.+; .+\))?\n`)
	for _, stage := range declared.FindAllSubmatch(source, -1) {
		name, value := string(stage[1]), string(stage[2])
		if used[value] {
			t.Errorf("%s has the value %s, which was used before", name, value)
		}
		if used[value] = true; name != "Test" && len(stage[3]) == 0 {
			t.Errorf("%s does not say what its keys and indices are", name)
		}
	}
	if len(used) < gone+36 {
		t.Errorf("only %d stages are found", len(used)-gone)
	}
}

func BenchmarkColumn(b *testing.B) {
	keys, signs := make([]uint64, 1024), make([]uint64, 1024)
	for b.Loop() {
		column := ColumnOf(1, SketchSigns, 0)
		for i, key := range keys {
			signs[i] = column.At(key)
		}
	}
	b.ReportMetric(float64(b.N)*float64(len(keys))/b.Elapsed().Seconds()/1e6, "Mwords/s")
}
