package kernel

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

func TestOrderedCommitsInOrderWithinSlots(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 7} {
		for _, slots := range []int{1, 2, 5} {
			for _, withRead := range []bool{false, true} {
				const n = 40
				values := make([]int, slots)
				var reads, committed atomic.Int64
				var order []int
				read := func(i, slot int) error {
					if slot != i%slots || int64(i) >= committed.Load()+int64(slots) || int64(i) != reads.Load() {
						t.Errorf("item %d read into slot %d after %d commits", i, slot, committed.Load())
					}
					values[slot] = -i
					reads.Add(1)
					return nil
				}
				work := func(i, slot int) error {
					if withRead && values[slot] != -i {
						t.Errorf("item %d: slot %d holds %d", i, slot, values[slot])
					}
					time.Sleep(time.Duration(i*7%5) * 50 * time.Microsecond)
					values[slot] = 3 * i
					return nil
				}
				if !withRead {
					read = nil
				}
				err := Ordered(context.Background(), workers, n, slots, read, work, func(i, slot int) error {
					order = append(order, values[slot]/3)
					committed.Add(1)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				want := make([]int, n)
				for i := range want {
					want[i] = i
				}
				if !slices.Equal(order, want) {
					t.Fatalf("%d workers, %d slots: committed %v", workers, slots, order)
				}
			}
		}
	}
}

func TestOrderedStops(t *testing.T) {
	broken := errors.New("broken")
	for _, workers := range []int{1, 3} {
		for _, stage := range []string{"read", "work", "commit"} {
			fails := func(name string) func(i, slot int) error {
				return func(i, _ int) error {
					if i > 6 && name != "read" && stage == "read" || i > 12 {
						t.Errorf("%s: %s continues with item %d", stage, name, i)
					}
					if name == stage && i == 6 {
						return broken
					}
					return nil
				}
			}
			err := Ordered(context.Background(), workers, 1000, 4, fails("read"), fails("work"), fails("commit"))
			if !errors.Is(err, broken) {
				t.Errorf("%d workers, error in %s: returned %v", workers, stage, err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		err := Ordered(ctx, workers, 1000, 4, nil, func(i, _ int) error {
			if i == 5 {
				cancel()
				<-ctx.Done()
			}
			return nil
		}, nil)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%d workers: cancelled loop returned %v", workers, err)
		}
	}
	if err := Ordered(context.Background(), 3, 0, 2, nil, func(int, int) error { return broken }, nil); err != nil {
		t.Errorf("no items: %v", err)
	}
}
