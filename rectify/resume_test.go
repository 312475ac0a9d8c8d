package rectify

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"anchorage/internal/checkpoint"
	"anchorage/internal/long"
	"anchorage/internal/polls"
	"anchorage/matrix"
)

// keepers are the rectifiers that keep a state, with options that bring them through all they do between two states.
func keepers(n int,
	operator Operator) map[string]func(context.Context, *matrix.Tall, *checkpoint.Point) (*Result, error) {
	keeper := func(method FactorRectifier, opts Options) func(context.Context, *matrix.Tall,
		*checkpoint.Point) (*Result, error) {
		return func(ctx context.Context, y *matrix.Tall, point *checkpoint.Point) (*Result, error) {
			opts.Workers = 1
			return method(point.In(ctx), y, opts)
		}
	}
	return map[string]func(context.Context, *matrix.Tall, *checkpoint.Point) (*Result, error){
		"ENN":           keeper(ENN, Options{Rows: 20, Marginals: normalized(n)}),
		"published ENN": keeper(ENN, Options{Rows: 20, Iterations: 5}),
		"truncated ENN": keeper(ENN, Options{Rows: 20, Iterations: 3, Truncated: true}),
		"PALM":          keeper(PALM, Options{Multiply: operator, Iterations: 20}),
		"IPALM":         keeper(IPALM, Options{Multiply: operator, Iterations: 60}),
	}
}

// TestGoesOnFromAnyLook interrupts rectifiers at looks at the context, from the first to the last, where only the
// interrupt writes the state of the last point, and lets them continue from there. The result must be that of a run
// without an interrupt.
func TestGoesOnFromAnyLook(t *testing.T) {
	long.Test(t, "it interrupts hundreds of rectifications")
	const n, k = 40, 4
	c := hollow(plantedDense(t, 21, n, k, 0.5))
	// A user's Ctrl-C comes in a product with C more often than anywhere else: let it look twice.
	operator := func(ctx context.Context, dst, x *matrix.Tall) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return Dense(c, 1)(ctx, dst, x)
	}
	for name, rectify := range keepers(n, operator) {
		t.Run(name, func(t *testing.T) {
			start := startOf(t, c, k)
			whole := polls.After(t.Context(), 0)
			want, err := rectify(whole, start.Copy(k), nil)
			if err != nil {
				t.Fatal(err)
			}
			const step = 67
			restarted, wrote := false, 0
			for _, i := range want.Iterations {
				restarted = restarted || i.Restarted
			}
			if name == "IPALM" && !restarted {
				t.Error("no iteration was repeated: the test misses that case")
			}
			for limit := 1; limit <= whole.Asked(); limit += step {
				path := filepath.Join(t.TempDir(), "checkpoint")
				_, err := kept(t, polls.After(t.Context(), limit), path, rectify, start.Copy(k))
				if !errors.Is(err, context.Canceled) {
					t.Fatalf("interrupted at look %d of %d: %v", limit, whole.Asked(), err)
				}
				if errors.Is(err, errKept) {
					wrote++
				}
				got, err := kept(t, t.Context(), path, rectify, start.Copy(k))
				if err != nil {
					t.Fatalf("continuing from look %d: %v", limit, err)
				}
				if err := sameResult(got, want); err != nil {
					t.Fatalf("interrupted at look %d of %d: %v", limit, whole.Asked(), err)
				}
			}
			if wrote == 0 {
				t.Error("no interrupt wrote a state")
			}
		})
	}
}

// errKept says that an interrupt has left a state.
var errKept = errors.New("it can be resumed")

// kept runs a rectifier with a checkpoint at path, from the state there if there is one, which only interrupts write.
func kept(t *testing.T, ctx context.Context, path string,
	rectify func(context.Context, *matrix.Tall, *checkpoint.Point) (*Result, error), y *matrix.Tall) (*Result, error) {
	t.Helper()
	folder, err := checkpoint.Open(ctx, path, checkpoint.Options{Resume: checkpoint.Auto, Share: 1e-12,
		Every: 1000 * time.Hour})
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	chain := folder.Chain("rectify")
	loaded, err := chain.Load()
	if err != nil {
		return nil, err
	}
	result, err := rectify(ctx, y, chain.Point("", nil, loaded))
	if err != nil {
		if folder.Interrupted(err) {
			err = errors.Join(err, errKept)
		}
		return nil, err
	}
	return result, nil
}
