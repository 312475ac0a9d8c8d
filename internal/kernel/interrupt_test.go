package kernel

import (
	"context"
	"errors"
	"math"
	"testing"

	"anchorage/internal/polls"
	"anchorage/matrix"
)

// TestInterrupted wants everything that can take long to look at its context again and again, and to end soon after the
// context has.
func TestInterrupted(t *testing.T) {
	const rows, cols, small = 12 * pieceRows, 9, 300
	tallOf := func() *matrix.Tall {
		m := matrix.NewTall(rows, cols)
		for i := range rows {
			for j := range cols {
				m.Row(i)[j] = math.Sin(float64(i*cols + j*j))
			}
		}
		return m
	}
	square := make([]float64, small*small)
	for i := range small {
		for j := range small {
			square[i*small+j] = math.Cos(float64(i*j + i + j))
		}
	}
	definite := TransposedTimes(context.Background(), square, square, small, small, small)
	for i := range small {
		definite[i*small+i]++
	}
	y, s, long := tallOf(), make([]float64, cols*cols), make([]float64, 1000*cols)
	for _, test := range []struct {
		name  string
		least int // looks at the context
		run   func(ctx context.Context) error
	}{
		{"Gram", 12, func(ctx context.Context) error { Gram(ctx, y, y, 1); return ctx.Err() }},
		{"GramGenerated", 12, func(ctx context.Context) error {
			GramGenerated(ctx, y, cols, 1, func(dst []float64, i int) { copy(dst, y.Row(i)) })
			return ctx.Err()
		}},
		{"Multiply", 12, func(ctx context.Context) error { Multiply(ctx, matrix.Like(y), y, s, 1); return ctx.Err() }},
		{"Transform", 12, func(ctx context.Context) error { Transform(ctx, tallOf(), s, cols, 1); return ctx.Err() }},
		{"Combined", 12, func(ctx context.Context) error {
			Combined(ctx, []*matrix.Tall{tallOf(), tallOf()}, make([]float64, 2*cols*cols), cols, 1, nil)
			return ctx.Err()
		}},
		{"Orthonormalize", 40, func(ctx context.Context) error { _, err := Orthonormalize(ctx, tallOf(), 1); return err }},
		{"Cholesky", small, func(ctx context.Context) error {
			if _, _, _, ok := choleskyStep(ctx, definite, small); !ok {
				return context.Canceled
			}
			return nil
		}},
		{"LeadingEigen", small, func(ctx context.Context) error {
			_, _, err := LeadingEigen(ctx, definite, small, 20,
				1)
			return err
		}},
		{"Times", 4, func(ctx context.Context) error { Times(ctx, long, s, 1000, cols, cols); return ctx.Err() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			whole := polls.After(t.Context(), 0)
			if err := test.run(whole); err != nil {
				t.Fatal(err)
			}
			if whole.Asked() < test.least {
				t.Fatalf("%d looks at the context, want %d at least", whole.Asked(), test.least)
			}
			for _, limit := range []int{1, 2, whole.Asked() / 2, whole.Asked() - 1} {
				ctx := polls.After(t.Context(), limit)
				if err := test.run(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("interrupted at look %d of %d: %v", limit, whole.Asked(), err)
				}
				if after := ctx.Asked() - limit; after > 40 {
					t.Errorf("interrupted at look %d of %d: %d more, so it continued", limit, whole.Asked(), after)
				}
			}
		})
	}
}

// TestAwait wants a function to be awaited, and to be abandoned once the context has ended.
func TestAwait(t *testing.T) {
	called := false
	if err := Await(t.Context(), func() { called = true }); err != nil || !called {
		t.Errorf("%v, called %v", err, called)
	}
	ctx, cancel := context.WithCancel(t.Context())
	begun, end := make(chan struct{}), make(chan struct{})
	defer close(end)
	go func() {
		<-begun
		cancel()
	}()
	if err := Await(ctx, func() { close(begun); <-end }); !errors.Is(err, context.Canceled) {
		t.Errorf("a function that continues: %v", err)
	}
	if err := Await(ctx, func() { t.Error("called after the end") }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
