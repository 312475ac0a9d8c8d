// This file holds the map command: all items of a model on a plane.

package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/model/itemmap"
)

func (p *program) mapCommand() *cobra.Command {
	o := itemmap.Options{Progress: func(done, total int64) { p.advance("drawing", done, total) }}
	return p.command("map", cobra.ExactArgs(1), func(ctx context.Context, args []string) error {
		o.Workers = p.workers
		m, err := model.Load(ctx, args[0])
		if err != nil {
			return err
		}
		drawn, err := itemmap.Draw(ctx, m, o)
		if err != nil {
			return err
		}
		output := objects.Join(args[0], itemmap.File)
		return p.finish(output, drawn.Save(ctx, m), func() error {
			return p.print(map[string]any{"output": output, "items": len(drawn.Items)}, func(w io.Writer) {
				printf(w, "A map of %d items is in %s\n", len(drawn.Items), output)
				p.printNext(w, "explore "+quoted(args[0]), "report "+quoted(args[0])+" -o report.html")
			})
		})
	}, []row{seedRow(&o.Seed)})
}
