package anchor_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"anchorage/anchor"
	"anchorage/internal/kernel"
	"anchorage/rectify"
)

func flip(y *kernel.Tall, heavy func(j int, pos, neg float64) bool) {
	n, k := y.Dims()
	for j := range k {
		p, q := 0.0, 0.0
		for i := range n {
			v := y.Row(i)[j]
			if v > 0 {
				p += v * v
			} else {
				q += v * v
			}
		}
		if heavy(j, p, q) {
			for i := range n {
				y.Row(i)[j] *= -1
			}
		}
	}
}

func TestTmpSigns(t *testing.T) {
	r := loadReference(t)
	n := r.c.Rows()
	y0 := r.start(t)
	_ = n
	run := func(name string, y *kernel.Tall, iters int, inertia float64) {
		o := rectify.PALMOptions{Options: rectify.Options{Iterations: iters}, Inertia: inertia}
		f := rectify.PALM
		if inertia > 0 {
			f = rectify.IPALM
		}
		res, err := f(t.Context(), rectify.Dense(r.c, 0), y, o)
		if err != nil {
			t.Fatal(err)
		}
		last := res.Iterations[len(res.Iterations)-1]
		topics, err := anchor.LAW(t.Context(), res.Factor, nil, anchor.Options{RowSums: anchor.RowSumsFactor})
		if err != nil {
			fmt.Println(name, err)
			return
		}
		fmt.Printf("%s obj %.8g change %.2g %+v\n", name, last.Objective, last.Change, r.measure(topics))
	}
	y := y0.Copy(25, 0)
	flip(y, func(_ int, p, q float64) bool { return q > p })
	run("heavy positive", y, 100, 0)
	y = y0.Copy(25, 0)
	flip(y, func(_ int, p, q float64) bool { return p > q })
	run("heavy negative", y, 100, 0)
	for s := range 5 {
		rng := rand.New(rand.NewPCG(uint64(s), 1))
		y = y0.Copy(25, 0)
		flip(y, func(_ int, p, q float64) bool { return rng.IntN(2) == 1 })
		run(fmt.Sprint("random ", s), y, 100, 0)
	}
	for _, a := range []float64{0.1, 0.2, 0.4, 0.6, 0.8} {
		y = y0.Copy(25, 0)
		flip(y, func(_ int, p, q float64) bool { return q > p })
		run(fmt.Sprint("ipalm ", a), y, 100, a)
	}
	y = y0.Copy(25, 0)
	flip(y, func(_ int, p, q float64) bool { return q > p })
	run("heavy positive 1000", y, 1000, 0)
}
