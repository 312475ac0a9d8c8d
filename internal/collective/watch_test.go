package collective

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// crew is ranks that are goroutines of this process, with the watch of real ones.
type crew struct {
	size    int
	aborted chan int // the codes of aborts
	jobs    []*Job
	lost    []chan *LostError
	stops   []context.CancelCauseFunc // as signals do
}

// work runs fn on so many watched ranks, with the job and its context. What fn returns goes to End and Close.
func work(t *testing.T, size int, fn func(ctx context.Context, c *crew, j *Job) error) []outcome {
	t.Helper()
	wires := make([]chan []byte, size*size)
	for i := range wires {
		wires[i] = make(chan []byte, 16)
	}
	c := &crew{size: size, aborted: make(chan int, size), jobs: make([]*Job, size), lost: make([]chan *LostError, size), stops: make([]context.CancelCauseFunc, size)}
	outcomes := make([]outcome, size)
	contexts := make([]context.Context, size)
	for r := range size {
		c.lost[r] = make(chan *LostError, 1)
		contexts[r], c.stops[r] = context.WithCancelCause(t.Context())
	}
	var group sync.WaitGroup
	for r := range size {
		group.Go(func() {
			e := &entry{rank: r, size: size, link: &wire{r, size, wires}, leave: func(context.Context) error { return nil }, abort: func(code int) { c.aborted <- code }}
			ctx, j, err := begin(contexts[r], e, fmt.Sprintf("host%d", r), Joining{Lost: func(lost *LostError) { c.lost[r] <- lost }})
			c.jobs[r] = j
			if err == nil {
				err = fn(ctx, c, j)
			}
			if errors.Is(err, errVanished) {
				return
			}
			o := &outcomes[r]
			if o.err, o.speak = j.End(err); o.err != nil {
				j.Close(1)
			}
		})
	}
	group.Wait()
	return outcomes
}

type outcome struct {
	err   error
	speak bool
}

// errVanished is returned by a rank whose process ends without a word.
var errVanished = errors.New("vanished")

// vanish ends the connections of a rank as the end of its process does.
func vanish(j *Job) error {
	for _, p := range j.watch.connected() {
		p.end() // the rank itself notices nothing
		p.conn.Close()
	}
	return errVanished
}

// wait waits for messages that do not come.
func wait(ctx context.Context, j *Job) error {
	for {
		if err := j.comm.exchange(ctx, -1, nil, (j.comm.rank+1)%j.comm.size, make([]byte, 1)); err != nil {
			return err
		}
	}
}

func TestWatchEnd(t *testing.T) {
	for _, size := range []int{1, 2, 5} {
		for r, o := range work(t, size, func(ctx context.Context, _ *crew, j *Job) error { return j.comm.Barrier(ctx) }) {
			if o.err != nil || !o.speak {
				t.Errorf("%d ranks: rank %d ends with %v", size, r, o.err)
			}
		}
	}
}

func TestWatchVanished(t *testing.T) {
	t.Parallel()
	for _, size := range []int{2, 4} {
		for gone := range size {
			outcomes := work(t, size, func(ctx context.Context, c *crew, j *Job) error {
				if err := j.comm.Barrier(ctx); err != nil {
					return err
				}
				j.comm.Begin("sketch")
				if j.comm.rank != gone {
					return wait(ctx, j)
				}
				// The stage must have reached rank 0, or the others from rank 0.
				for _, p := range c.others(gone) {
					for _, stage := p.gone(); stage != "sketch"; _, stage = p.gone() {
						runtime.Gosched()
					}
				}
				return vanish(j)
			})
			for r, o := range outcomes {
				if r == gone {
					continue
				}
				lost := new(LostError)
				if !errors.As(o.err, &lost) || lost.Rank != gone || lost.Host != fmt.Sprintf("host%d", gone) || lost.Stage != "sketch" || o.speak {
					t.Errorf("%d ranks without %d: rank %d ends with %v", size, gone, r, o.err)
				}
			}
		}
	}
}

// others returns the ends of connections to a rank.
func (c *crew) others(rank int) (ends []*peer) {
	for r, j := range c.jobs {
		if r == rank || j == nil {
			continue
		}
		for _, p := range j.watch.connected() {
			if p.rank == rank {
				ends = append(ends, p)
			}
		}
	}
	return ends
}

func TestWatchFailed(t *testing.T) {
	t.Parallel()
	broken := errors.New("no shard x")
	for failing := range 3 {
		outcomes := work(t, 3, func(ctx context.Context, c *crew, j *Job) error {
			j.comm.Begin("read")
			if j.comm.rank == failing {
				return broken
			}
			return wait(ctx, j)
		})
		for r, o := range outcomes {
			lost := new(LostError)
			switch {
			case r == failing:
				if !errors.Is(o.err, broken) || !o.speak {
					t.Errorf("the rank that failed ends with %v", o.err)
				}
			case !errors.As(o.err, &lost) || lost.Rank != failing || lost.Stage != "read" || lost.Reason != broken.Error() || o.speak:
				t.Errorf("rank %d of those that did not fail ends with %v", r, o.err)
			}
		}
	}
}

func TestWatchFailedAlike(t *testing.T) {
	broken := errors.New("-k is too large")
	for r, o := range work(t, 4, func(ctx context.Context, c *crew, j *Job) error { return broken }) {
		if !errors.Is(o.err, broken) || o.speak != (r == 0) {
			t.Errorf("rank %d ends with %v, and speaks: %v", r, o.err, o.speak)
		}
	}
}

func TestWatchInterrupted(t *testing.T) {
	t.Parallel()
	for _, all := range []bool{false, true} {
		outcomes := work(t, 3, func(ctx context.Context, c *crew, j *Job) error {
			if all || j.comm.rank == 1 {
				c.stops[j.comm.rank](errors.New("terminated"))
			}
			return wait(ctx, j)
		})
		for r, o := range outcomes {
			if !errors.Is(o.err, context.Canceled) || o.speak != (r == 0) {
				t.Errorf("all %v: rank %d ends with %v, and speaks: %v", all, r, o.err, o.speak)
			}
		}
	}
}

// A rank whose own time is over interrupts the others.
func TestWatchTimeOver(t *testing.T) {
	outcomes := work(t, 3, func(ctx context.Context, c *crew, j *Job) error {
		if j.comm.rank == 2 {
			return fmt.Errorf("the time limit is over: %w", context.Canceled)
		}
		return wait(ctx, j)
	})
	for r, o := range outcomes {
		if !errors.Is(o.err, context.Canceled) || o.speak != (r == 0) {
			t.Errorf("rank %d ends with %v, and speaks: %v", r, o.err, o.speak)
		}
	}
}

// A launcher sends signals to all others when a rank has died: that is no interrupt.
func TestWatchSignalAfterLoss(t *testing.T) {
	t.Parallel()
	outcomes := work(t, 3, func(ctx context.Context, c *crew, j *Job) error {
		if j.comm.rank == 2 {
			for r := range 2 {
				c.stops[r](errors.New("terminated"))
			}
			return vanish(j)
		}
		return wait(ctx, j)
	})
	for r, o := range outcomes[:2] {
		if lost := new(LostError); !errors.As(o.err, &lost) || lost.Rank != 2 {
			t.Errorf("rank %d ends with %v", r, o.err)
		}
	}
}

func TestWatchUnreachable(t *testing.T) {
	var without []int
	wires := make([]chan []byte, 4)
	for i := range wires {
		wires[i] = make(chan []byte, 16)
	}
	aborted := make(chan int, 2)
	err := Together(t.Context(), 2, func(ctx context.Context) error {
		c := From(ctx)
		w := newWatch(c, nil)
		accepted := map[int]*peer{}
		var trouble error
		if c.Rank() == 1 {
			_, trouble = reach(ctx, call{Host: "far"}, "near", 1)
		}
		err := w.settle(ctx, accepted, trouble, func(ranks []int, err error) {
			if err == nil {
				t.Error("nobody knows why")
			}
			without = ranks
		})
		j := &Job{comm: c, ctx: ctx, watch: w, entry: &entry{abort: func(code int) { aborted <- code }}}
		j.End(errors.New("broken"))
		j.Close(11)
		return err
	})
	if err != nil || len(without) != 1 || without[0] != 1 {
		t.Errorf("ranks %v are not watched: %v", without, err)
	}
	if len(aborted) != 2 || <-aborted != 11 {
		t.Error("a rank that cannot tell the others must end them")
	}
}

// Rank 0 takes no stranger for a rank.
func TestWatchStrangers(t *testing.T) {
	c := &Comm{rank: 0, size: 2}
	w := newWatch(c, nil)
	for _, n := range []news{{Kind: isLost, Rank: 7}, {Kind: hasFailed, Rank: -1}, {Kind: "nonsense"}} {
		w.receive(newPeer(1, nil), n)
	}
	if w.verdict != nil {
		t.Errorf("nonsense ends the job: %v", w.verdict)
	}
}
