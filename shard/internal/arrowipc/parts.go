// This file divides Arrow files into parts.

package arrowipc

import (
	"context"
	"errors"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
)

// filePlan is what readers need to know of a file. It is not changed once made.
type filePlan struct {
	schema       *fileSchema
	columns      chosenColumns
	batches      []recordBatch
	dictionaries []messageBlock
}

// Parts returns the parts of an Arrow shard.
func Parts(ctx context.Context, in reading.Shard) ([]reading.Part, error) {
	file, err := in.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var plan *filePlan
	err = fault.Guard(func() (err error) {
		plan, err = planFile(ctx, in, file)
		return err
	})
	if err != nil {
		if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return nil, err
		}
		return nil, fault.InFile(in.Path, err)
	}
	// Every part loads all dictionaries, so a part should be much larger than they are.
	enough := int64(reading.PartBytes)
	for _, dictionary := range plan.dictionaries {
		enough = max(enough, enough+8*dictionary.bodyLength)
	}
	size := func(i int) (bytes, rows int64) { return plan.batches[i].bodyLength, plan.batches[i].rows }
	return reading.Divide(len(plan.batches), enough, plan.columns.long, size, func(from, to int) reading.Part {
		return reading.Part{Open: batchRun{in, plan, from, to}.open}
	}), nil
}

// batchRun is a run of record batches.
type batchRun struct {
	in       reading.Shard
	plan     *filePlan
	from, to int
}

func planFile(ctx context.Context, in reading.Shard, file access.Source) (*filePlan, error) {
	x := indexer{ctx: ctx, file: file, size: file.Size()}
	if err := x.read(); err != nil {
		return nil, err
	}
	columns, err := findColumns(x.plan.schema, in.Columns)
	if err != nil {
		return nil, err
	}
	x.plan.columns = columns
	return &x.plan, nil
}
