// This file runs the tests of the operations over MPI: build them with go test -tags mpi -c, and start the program with mpirun.

//go:build mpi

package collective

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// theJob is the job that the test runs in; nil if it is alone.
var (
	theJob *Job
	noted  = make(chan string, 1)
)

func TestMain(m *testing.M) {
	parent, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctx, job, err := Join(parent, Joining{Lost: note, Unwatched: func(ranks []int, err error) {
		fmt.Fprintf(os.Stderr, "ranks %v are not watched: %v\n", ranks, err)
		os.Exit(1)
	}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	theJob = job
	if job != nil {
		overLink = ctx
	}
	code := m.Run()
	if code == 0 {
		if err, _ := job.End(nil); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code) // tests of losses end their jobs themselves
}

// TestLargeMessages sends more than one call of MPI takes, of different sizes in the two directions.
func TestLargeMessages(t *testing.T) {
	if overLink == nil {
		return // goroutines have no largest message
	}
	each(t, func(ctx context.Context, c *Comm) error {
		own := make([]int64, (pieceBytes/8)*(1+c.Rank())+c.Rank())
		for i := range own {
			own[i] = int64(i * (c.Rank() + 1))
		}
		all, err := AllGather(ctx, c, own)
		for r, values := range all {
			for i, v := range values {
				if v != int64(i*(r+1)) {
					return fmt.Errorf("value %d of rank %d is %d", i, r, v)
				}
			}
		}
		return err
	})
}

// note writes down which rank is lost, and how many milliseconds after.
func note(lost *LostError) {
	folder := os.Getenv("ANCHORAGE_LOST")
	moment, err := os.ReadFile(filepath.Join(folder, "moment"))
	if err != nil {
		panic(err)
	}
	var at int64
	fmt.Sscan(string(moment), &at)
	text := fmt.Sprintf("%v\n%d ms\n", lost, time.Since(time.UnixMilli(at)).Milliseconds())
	if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("rank%d", From(overLink).Rank())), []byte(text), 0o600); err != nil {
		panic(err)
	}
	noted <- text
}

// TestLoss ends one rank while the others wait for it, and is started by .ci/mpi: ANCHORAGE_LOSE is the rank and how it ends, ANCHORAGE_LOST a folder, in
// which every other rank writes what it heard, and how long after.
func TestLoss(t *testing.T) {
	how := os.Getenv("ANCHORAGE_LOSE")
	if how == "" || theJob == nil {
		t.Skip("only as one of several ranks")
	}
	folder := os.Getenv("ANCHORAGE_LOST")
	var lost int
	var way string
	if _, err := fmt.Sscanf(how, "%d %s", &lost, &way); err != nil {
		t.Fatal(err)
	}
	c := From(overLink)
	c.Begin("first")
	for range 100 {
		if err := c.Barrier(overLink); err != nil {
			t.Fatal(err)
		}
	}
	c.Begin("second")
	if err := c.Barrier(overLink); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if c.Rank() == lost {
		time.Sleep(300 * time.Millisecond) // the others wait in an exchange then
		if err := os.WriteFile(filepath.Join(folder, "moment"), fmt.Append(nil, time.Now().UnixMilli()), 0o600); err != nil {
			t.Fatal(err)
		}
		switch way {
		case "kill":
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case "stop":
			syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		case "panic":
			go panic("as a bug does")
			select {}
		}
		theJob.End(errors.New("it fails on purpose"))
		theJob.Close(11)
		os.Exit(11)
	}
	err := c.Barrier(overLink)
	select {
	case <-noted:
	case <-time.After(30 * time.Second):
		os.WriteFile(filepath.Join(folder, fmt.Sprintf("rank%d", c.Rank())), fmt.Appendf(nil, "no news, but %v\n", err), 0o600)
	}
	err, _ = theJob.End(err)
	fmt.Println("rank", c.Rank(), "after", time.Since(begun).Round(time.Millisecond), ":", err)
	theJob.Close(1)
	os.Exit(1)
}
