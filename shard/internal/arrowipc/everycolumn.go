// This file decodes whole Arrow files, whatever their columns mean.

package arrowipc

import (
	"context"

	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// EveryColumn returns for every column of a file that is of a readable type a part that decodes all of it: as items, as
// counts, or as documents. It shows whether a file is sound beyond what documents need of it.
func EveryColumn(ctx context.Context, in reading.Shard) (parts []reading.Part, err error) {
	file, err := in.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	x := indexer{ctx: ctx, file: file, size: file.Size()}
	if err := x.read(); err != nil {
		return nil, err
	}
	for _, top := range x.plan.schema.fields {
		shape, items, counts := fieldOf(top, roles.Names{})
		if items == nil {
			continue
		}
		plan := x.plan
		switch {
		case shape.Shape == roles.Value && shape.Kind.IsID():
			plan.columns = chosenColumns{long: true, document: items, items: items}
		case shape.Shape == roles.Value:
			continue
		case shape.Kind == roles.Float: // a list of counts: any list of items will do beside it
			plan.columns = chosenColumns{items: items, counts: items}
		default:
			plan.columns = chosenColumns{items: items, counts: counts, inner: counts != nil}
		}
		parts = append(parts, reading.Part{Rows: -1, Open: batchRun{in, &plan, 0, len(plan.batches)}.open})
	}
	return parts, nil
}
