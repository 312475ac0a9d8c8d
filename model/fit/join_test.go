package fit

import (
	"context"
	"errors"
	"os"
	"testing"

	"anchorage/internal/collective"
)

// TestJoinAlone wants a process that no launcher started to work as one process, and its error to stay its own.
func TestJoinAlone(t *testing.T) {
	if how := collective.Launched(os.LookupEnv); how.Together() {
		t.Fatalf("the test was started by %s", how.Launcher)
	}
	ctx, leave, err := Join(t.Context())
	if err != nil || ctx != t.Context() || !First(ctx) {
		t.Fatalf("joined: %v", err)
	}
	failure := errors.New("it failed")
	if err := leave(failure); err != failure {
		t.Errorf("leaves with %v", err)
	}
	if err := leave(nil); err != nil {
		t.Errorf("leaves with %v", err)
	}
	firsts := make([]bool, 3)
	if err := collective.Together(t.Context(), 3, func(ctx context.Context) error {
		firsts[collective.From(ctx).Rank()] = First(ctx)
		return nil
	}); err != nil || !firsts[0] || firsts[1] || firsts[2] {
		t.Errorf("first are %v: %v", firsts, err)
	}
}

// TestJoinUnbuilt wants a program that cannot work as one of several to say so.
func TestJoinUnbuilt(t *testing.T) {
	if collective.Implementation() != "" {
		return // this build can
	}
	t.Setenv("SLURM_STEP_NUM_TASKS", "3")
	t.Setenv("SLURM_PROCID", "1")
	if _, _, err := Join(t.Context()); !errors.As(err, new(*collective.LaunchError)) {
		t.Errorf("joined: %v", err)
	}
}
