package pipeline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run runs tasks that have 0, 1, … buffers in turn, of task·100, task·100+1, …, and then perhaps an error. It returns what was delivered.
func run(ctx context.Context, workers, tasks, depth int, fail map[int]error, deliver func(value int) error) (got []int,
	retired int, open int64, err error) {
	var opened atomic.Int64
	var made sync.Map
	p := Pipeline[int]{Workers: workers, Tasks: tasks, Depth: depth,
		Do: func(_ context.Context, task int, part func(func(*int) error) error) error {
			opened.Add(1)
			defer opened.Add(-1)
			for next := 0; ; next++ {
				if err := part(func(b *int) error {
					if next == task%5 {
						return cmp.Or(fail[task], io.EOF)
					}
					*b = task*100 + next
					return nil
				}); err != nil {
					return err
				}
			}
		},
		NewBuffer: func() *int {
			b := new(int)
			made.Store(b, true)
			return b
		},
		Deliver: func(task int, b *int) error {
			if *b/100 != task {
				return fmt.Errorf("%d came from task %d", *b, task)
			}
			got = append(got, *b)
			return deliver(*b)
		},
		Retire: func(b *int) { *b = -1; retired++ },
	}
	err = p.Run(ctx)
	count := 0
	made.Range(func(any, any) bool { count++; return true })
	if count > workers*depth {
		err = errors.Join(err, fmt.Errorf("%d buffers, at most %d were promised", count, workers*depth))
	}
	return got, retired, opened.Load(), err
}

// TestOrder delivers in order whatever the workers and buffers.
func TestOrder(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8} {
		for _, tasks := range []int{0, 1, 2, 7, 100} {
			for _, depth := range []int{1, 2, 5} {
				var want []int
				for task := range tasks {
					for b := range task % 5 {
						want = append(want, task*100+b)
					}
				}
				got, retired, open, err := run(t.Context(), workers, tasks, depth, nil, func(int) error { return nil })
				if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || retired != len(want) || open != 0 {
					t.Fatalf("%d workers, %d tasks, %d buffers: %v, %d retired, %d open, %v", workers, tasks, depth, got,
						retired, open, err)
				}
			}
		}
	}
}

// TestErrors returns the error of the first task in order that fails, after what comes before it, and ends all that was
// begun.
func TestErrors(t *testing.T) {
	early, late, ours := errors.New("task 13"), errors.New("task 40"), errors.New("delivery")
	for _, workers := range []int{1, 3, 8} {
		got, _, open, err := run(t.Context(), workers, 100, 2, map[int]error{40: late, 13: early},
			func(int) error { return nil })
		if err != early || got[len(got)-1] != 1302 || open != 0 {
			t.Errorf("%d workers: %v after %d, %d open", workers, err, got[len(got)-1], open)
		}
		got, _, open, err = run(t.Context(), workers, 100, 2, map[int]error{40: late}, func(value int) error {
			if value == 1201 {
				return ours
			}
			return nil
		})
		if err != ours || got[len(got)-1] != 1201 || open != 0 {
			t.Errorf("%d workers: %v after %d, %d open", workers, err, got[len(got)-1], open)
		}
		ctx, cancel := context.WithCancel(t.Context())
		_, _, open, err = run(ctx, workers, 100, 2, nil, func(value int) error {
			if value == 700 {
				cancel()
			}
			return nil
		})
		if err != context.Canceled || open != 0 {
			t.Errorf("%d workers, cancelled: %v, %d open", workers, err, open)
		}
	}
}

// TestPanic ends all goroutines when a delivery panics.
func TestPanic(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic came through")
		}
	}()
	run(t.Context(), 3, 50, 2, nil, func(value int) error {
		if value == 802 {
			panic("test")
		}
		return nil
	})
}
