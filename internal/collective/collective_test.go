package collective

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"anchorage/matrix"
)

// ranks are the numbers of ranks that tests run.
var ranks = []int{1, 2, 3, 4, 5, 8}

// overLink is the context of a real job, in which the test runs as one rank; nil if it is the only one.
var overLink context.Context

// each runs fn on every number of ranks, or on those of a real job.
func each(t *testing.T, fn func(ctx context.Context, c *Comm) error) {
	t.Helper()
	if overLink != nil {
		if err := fn(overLink, From(overLink)); err != nil {
			t.Errorf("rank %d of %d: %v", From(overLink).Rank(), From(overLink).Size(), err)
		}
		return
	}
	for _, p := range ranks {
		if err := Together(t.Context(), p, func(ctx context.Context) error { return fn(ctx, From(ctx)) }); err != nil {
			t.Errorf("%d ranks: %v", p, err)
		}
	}
}

func TestOperations(t *testing.T) {
	each(t, func(ctx context.Context, c *Comm) error {
		p, r := c.Size(), c.Rank()
		for root := range p {
			values := []int64{int64(r), int64(root)}
			if err := Broadcast(ctx, c, root, values); err != nil || values[0] != int64(root) {
				return fmt.Errorf("broadcast from %d: %v, %v", root, values, err)
			}
		}
		own := slices.Repeat([]float64{float64(r)}, r) // rank 0 has none
		all, err := AllGather(ctx, c, own)
		for from, values := range all {
			if len(values) != from || from > 0 && values[0] != float64(from) {
				return fmt.Errorf("gathered %v from %d", values, from)
			}
		}
		if err != nil || len(all) != p {
			return fmt.Errorf("gathered from %d ranks: %v", len(all), err)
		}
		parts := make([][]int32, p)
		for to := range parts {
			parts[to] = slices.Repeat([]int32{int32(100*r + to)}, r+to)
		}
		received, err := AllToAll(ctx, c, parts)
		for from, values := range received {
			if len(values) != r+from || len(values) > 0 && values[0] != int32(100*from+r) {
				return fmt.Errorf("received %v from %d", values, from)
			}
		}
		if err != nil {
			return err
		}
		counts, most, least := []int64{1, int64(r)}, []float64{float64(r), -1}, []uint64{uint64(r)}
		if err := errors.Join(Sum(ctx, c, counts), Max(ctx, c, most), Min(ctx, c, least), c.Barrier(ctx)); err != nil {
			return err
		}
		if !slices.Equal(counts, []int64{int64(p), int64(p * (p - 1) / 2)}) || !slices.Equal(most,
			[]float64{float64(p - 1), -1}) || least[0] != 0 {
			return fmt.Errorf("sum %v, max %v, min %v", counts, most, least)
		}
		return nil
	})
}

func TestRows(t *testing.T) {
	for _, n := range []int{0, 1, matrix.BlockRows, matrix.BlockRows + 1, 5 * matrix.BlockRows,
		300*matrix.BlockRows + 17} {
		for _, p := range ranks {
			next := 0
			for r := range p {
				c := &Comm{rank: r, size: p}
				first, last := c.Rows(n)
				if first != next && first != last || last < first {
					t.Fatalf("%d rows, rank %d of %d: rows %d to %d follow %d", n, r, p, first, last, next)
				}
				next = max(next, last)
				for _, row := range []int{first, (first + last) / 2, last - 1} {
					if first < last && c.Owner(n, row) != r {
						t.Fatalf("%d rows, %d ranks: row %d belongs to rank %d, not %d", n, p, row, r, c.Owner(n, row))
					}
				}
			}
			if next != n {
				t.Fatalf("%d rows, %d ranks: the last is %d", n, p, next)
			}
		}
	}
}

func TestShare(t *testing.T) {
	n := 7*matrix.BlockRows + 5
	each(t, func(ctx context.Context, c *Comm) error {
		values := make([]float32, n)
		first, last := c.Rows(n)
		for i := first; i < last; i++ {
			values[i] = float32(i + 1)
		}
		if err := Share(ctx, c, values); err != nil {
			return err
		}
		for i, v := range values {
			if v != float32(i+1) {
				return fmt.Errorf("value %d is %v", i, v)
			}
		}
		return nil
	})
}

func TestMove(t *testing.T) {
	each(t, func(ctx context.Context, c *Comm) error {
		for from := range c.Size() {
			to := (from + 2) % c.Size()
			values := []int32{int32(c.Rank()), 7}
			if err := Move(ctx, c, from, to, values); err != nil {
				return err
			}
			if want := map[bool]int32{true: int32(from), false: int32(c.Rank())}[c.Rank() == to]; values[0] != want ||
				values[1] != 7 {
				return fmt.Errorf("rank %d has %v after a move from %d to %d", c.Rank(), values, from, to)
			}
		}
		return nil
	})
}

func TestLostRank(t *testing.T) {
	broken := errors.New("broken")
	err := Together(t.Context(), 4, func(ctx context.Context) error {
		c := From(ctx)
		if c.Rank() == 2 {
			return broken
		}
		err := c.Barrier(ctx)
		if lost := new(LostError); !errors.As(err, &lost) || lost.Rank != 2 {
			return fmt.Errorf("rank %d sees %v", c.Rank(), err)
		}
		return err
	})
	if !errors.Is(err, broken) {
		t.Errorf("the job ends with %v", err)
	}
}

func TestDisagreement(t *testing.T) {
	err := Together(t.Context(), 3, func(ctx context.Context) error {
		c := From(ctx)
		return Agree(ctx, c, "options", fmt.Sprint(c.Rank()/2))
	})
	if wrong := new(DisagreementError); !errors.As(err, &wrong) || wrong.Rank != 2 || wrong.What != "options" {
		t.Errorf("got %v", err)
	}
}

func TestAgree(t *testing.T) {
	for _, test := range []struct {
		lines      func(rank int) []string
		rank       int // −1 for none
		own, other string
	}{
		{func(int) []string { return []string{"a", "b"} }, -1, "", ""},
		{func(int) []string { return nil }, -1, "", ""},
		{func(rank int) []string { return []string{"a", fmt.Sprint(rank / 2)} }, 2, "0", "1"},
		{func(rank int) []string { return []string{"a", "b", "c"}[:3-rank/3] }, 3, "c", ""},
		{func(rank int) []string { return []string{"a", "b"}[:1+(rank+2)/3] }, 1, "", "b"},
	} {
		err := Together(t.Context(), 4, func(ctx context.Context) error {
			return Agree(ctx, From(ctx), "shards", test.lines(From(ctx).Rank())...)
		})
		wrong := new(DisagreementError)
		if found := errors.As(err, &wrong); found != (test.rank >= 0) || found && (wrong.Rank != test.rank ||
			wrong.Own != test.own || wrong.Other != test.other) {
			t.Errorf("got %v, want rank %d with %q", err, test.rank, test.other)
		}
	}
}

func TestTraffic(t *testing.T) {
	const n = 1000
	each(t, func(ctx context.Context, c *Comm) error {
		p, r := int64(c.Size()), int64(c.Rank())
		c.Begin("ring")
		if _, err := AllGather(ctx, c, make([]float64, n)); err != nil {
			return err
		}
		c.Begin("tree")
		if err := Broadcast(ctx, c, 0, make([]float64, n)); err != nil {
			return err
		}
		_, moved := c.Moved()
		if want := (p - 1) * (8*n + 8); moved["ring"].Bytes != want {
			return fmt.Errorf("a ring moves %d bytes, not %d", moved["ring"].Bytes, want)
		}
		all := []int64{moved["tree"].Bytes}
		if err := Sum(ctx, c, all); err != nil || all[0] != (p-1)*8*n {
			return fmt.Errorf("rank %d: a broadcast moves %d bytes: %v", r, all[0], err)
		}
		return nil
	})
}

func TestNobodyElse(t *testing.T) {
	ctx := t.Context()
	c := From(ctx)
	if c != nil || c.Size() != 1 || c.Rank() != 0 || !c.First() {
		t.Fatalf("a context without ranks has %v", c)
	}
	values := []float64{1, 2}
	all, err := AllGather(ctx, c, values)
	if err = errors.Join(err, Sum(ctx, c, values), Share(ctx, c, values), Broadcast(ctx, c, 0, values),
		c.Barrier(ctx)); err != nil || len(all) != 1 || !slices.Equal(values, []float64{1, 2}) {
		t.Errorf("%v, %v: %v", all, values, err)
	}
	if c.Layout() != nil || Of(nil) != nil {
		t.Error("a context without ranks has a layout")
	}
	if first, last := c.Rows(99); first != 0 || last != 99 {
		t.Errorf("rows %d to %d of 99", first, last)
	}
}

// TestCauseAlone: where there is one rank, an interrupt stays one, whatever its cause.
func TestCauseAlone(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the time is over"))
	for name, err := range map[string]error{"share": Share(ctx, nil, []float64{1}), "sum": Sum(ctx, nil, []float64{1}),
		"broadcast": Broadcast(ctx, nil, 0, []float64{1})} {
		if err != context.Canceled {
			t.Errorf("%s returns %v", name, err)
		}
	}
}
