// This file updates a store in one call.

package store

import (
	"context"

	"anchorage/model/fit"
	"anchorage/shard"
)

// DefaultRetain is the number of generations that stay if GenerateOptions.Retain is 0.
const DefaultRetain = 7

// UpdateOptions are those of the steps of an update.
type UpdateOptions struct {
	Options
	Plan     PlanOptions
	Add      AddOptions
	Generate GenerateOptions // a nil Fit.Run means a new Run
}

// Update adds shards to the store at path, which it makes if there is none, and learns a new generation of its model:
// Begin, Writer.Plan, Writer.Add and Writer.Generate. Give all shards every night, or only the new ones. With nothing
// new it returns nil.
func Update(ctx context.Context, path string, shards []shard.Shard, opts UpdateOptions) (*Generated, error) {
	if opts.Generate.Fit.Run == nil {
		opts.Generate.Fit.Run = &fit.Run{Workers: opts.Workers, Log: opts.Log, Progress: opts.Progress}
	}
	w, err := Begin(ctx, path, opts.Options)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	plan, err := w.Plan(ctx, shards, opts.Plan)
	if err != nil || plan.Nothing() && w.State.Generation > 0 {
		return nil, err
	}
	added, err := w.Add(ctx, plan, opts.Add)
	if err != nil {
		return nil, err
	}
	return w.Generate(ctx, plan, added, opts.Generate)
}
