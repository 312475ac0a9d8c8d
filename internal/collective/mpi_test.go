// This file runs the tests of the operations over MPI: build them with go test -tags mpi -c, and start the program with
// mpirun.

//go:build mpi

package collective

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// theJob is the job that the test runs in; nil if there is only one rank.
var theJob *Job

func TestMain(m *testing.M) {
	parent, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	ctx, job, err := Join(parent)
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

// TestLoss ends one rank while the others wait for it, and is started by .ci/mpi: ANCHORAGE_LOSE is the rank and how it
// ends.
func TestLoss(t *testing.T) {
	how := os.Getenv("ANCHORAGE_LOSE")
	if how == "" || theJob == nil {
		t.Skip("only as one of several ranks")
	}
	var lost int
	var way string
	if _, err := fmt.Sscanf(how, "%d %s", &lost, &way); err != nil {
		t.Fatal(err)
	}
	c := From(overLink)
	for range 100 {
		if err := c.Barrier(overLink); err != nil {
			t.Fatal(err)
		}
	}
	if c.Rank() == lost {
		time.Sleep(300 * time.Millisecond) // the others wait in an exchange then
		switch way {
		case "kill":
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case "panic":
			go panic("as a bug does")
			select {}
		}
		theJob.End(errors.New("it fails on purpose"))
		theJob.Close(11)
		os.Exit(11)
	}
	theJob.End(c.Barrier(overLink))
	theJob.Close(1)
	os.Exit(1)
}
