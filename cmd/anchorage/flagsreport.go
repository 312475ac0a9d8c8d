// This file holds the flags about the report in a model, and writes it.

package main

import (
	"context"
	"io"
	"slices"

	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/report"
	"anchorage/shard"
	"anchorage/stream"
)

// The values of --examples: how much of its example documents a model shows.
const (
	examplesNone   = "none"
	examplesPlaces = "places"
	examplesIDs    = "ids"
	examplesTexts  = "texts"
)

// reportFlags say whether a model gets a report, and what it shows of documents.
type reportFlags struct {
	none        bool
	diagnostics bool
	examples    string
	leftOut     bool // several ranks make none, whatever the flags say
}

// rows are the flags.
func (f *reportFlags) rows() []row {
	return []row{
		f.noneRow(),
		{name: "diagnostics", layer: setting, to: &f.diagnostics, values: boolean, help: "compute diagnostics of topics even with --no-report or --passes 1"},
		{name: "examples", group: outputGroup, layer: advanced, to: &f.examples, usual: examplesIDs, values: choice(word{examplesNone, "none", nil},
			word{examplesPlaces, "the shard and the number of each", nil}, word{examplesIDs, "their ids", nil}, word{examplesTexts, "their ids and how they begin", nil}),
			help: "what the model shows of the documents that have most of each topic"},
	}
}

// noneRow is the flag that leaves the report out.
func (f *reportFlags) noneRow() row {
	return row{name: "no-report", group: outputGroup, to: &f.none, values: boolean, help: "write no report.html into the model, and compute no diagnostics for it"}
}

// overRanks leaves the report out where several ranks share the fit: it needs diagnostics, which need all documents.
func (f *reportFlags) overRanks(p *program, o *fit.Options) {
	if p.ranks.comm == nil {
		return
	}
	if !f.none {
		p.log.Info("no report, diagnostics or examples, because several ranks share the fit: anchorage report MODEL makes the report afterwards")
	}
	f.leftOut, o.Diagnose = true, false // not none: a checkpoint knows the flags, and one process may continue from it
}

// write names the example documents and writes the report. shards are those that the documents come from; nil if they are not at hand.
func (f *reportFlags) write(ctx context.Context, p *program, run *fit.Run, fitted *fit.Fitted, shards []shard.Shard, out *model.Output) error {
	if err := f.name(ctx, p, fitted, shards); err != nil {
		return err
	}
	if f.none || f.leftOut {
		return nil
	}
	defer run.Stage("report")()
	return out.WriteFile(report.File, func(w io.Writer) error {
		return report.Write(ctx, w, fitted.Overview(), report.Options{Workers: p.workers})
	})
}

// name adds to the example documents what the flags ask for.
func (f *reportFlags) name(ctx context.Context, p *program, fitted *fit.Fitted, shards []shard.Shard) error {
	d := fitted.Diagnostics
	if d == nil {
		return nil
	}
	fitted.Manifest.Diagnostics.Texts = f.examples == examplesTexts
	if f.examples == examplesNone {
		d.Examples = make([][]model.ExampleDocument, len(d.Examples))
		return nil
	}
	var wanted []*model.ExampleDocument
	var places []stream.Place
	for k := range d.Examples {
		for e := range d.Examples[k] {
			one := &d.Examples[k][e]
			at := slices.IndexFunc(shards, func(s shard.Shard) bool { return s.Path == one.Shard })
			if at >= 0 {
				wanted, places = append(wanted, one), append(places, stream.Place{Shard: at, Row: one.Row})
			}
		}
	}
	once := slices.ContainsFunc(shards, func(s shard.Shard) bool { return s.Path == "-" }) // standard input is not read again
	if f.examples == examplesPlaces || len(wanted) == 0 || once {
		return nil
	}
	found, err := stream.Beginnings(ctx, shards, places, f.examples == examplesTexts)
	if err != nil {
		return err
	}
	for i, one := range wanted {
		one.ID, one.Text = found[i].ID, found[i].Text
	}
	p.log.Debug("example documents named", "documents", len(wanted))
	return nil
}
