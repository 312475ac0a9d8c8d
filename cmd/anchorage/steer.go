// This file holds the steer command: a person's changes to the topics of a model.

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"anchorage/bayes/refine"
	"anchorage/internal/objects"
	"anchorage/internal/table"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/model/steer"
)

// steerFlags say how topics are changed.
type steerFlags struct {
	script   string
	steps    []string
	learning fit.Options
	source   sourceFlags
	extras   extraFlags
	output   string
}

func (p *program) steerCommand() *cobra.Command {
	var f steerFlags
	var done *steer.Session
	return p.command("steer", cobra.MinimumNArgs(1), stage(p, model.KindModel, &f.output, func(ctx context.Context,
		w work) (fitted *fit.Fitted, err error) {
		done, fitted, err = f.steer(ctx, p, w)
		return fitted, err
	}, func(fitted *fit.Fitted, path string) error { return p.printSteered(done, fitted, path) }),
		[]row{outputRow(&f.output, "the changed model, a folder"), p.replaceRow(),
			topicsGroup.flag("script", &f.script, anyFile, "file with the steps, or - for standard input"),
			topicsGroup.flag("step", &f.steps, repeatable, "a step, after those of --script; repeatable"),
			f.extras.noReportRow(), p.topRow()}, refineRows(&f.learning.Refine), f.source.formatRows())
}

// read returns the script of --script and --step.
func (f *steerFlags) read(ctx context.Context, p *program) (steer.Script, error) {
	var script steer.Script
	if f.script != "" {
		var err error
		if script, err = p.readScript(ctx, f.script); err != nil {
			return nil, err
		}
	}
	for _, line := range f.steps {
		step, err := steer.ParseStep(line)
		if err != nil {
			return nil, err
		}
		script = append(script, step)
	}
	if len(script) == 0 {
		return nil, &usageError{errors.New("there is no step: name a file with --script, or give steps with --step")}
	}
	return script, nil
}

// readScript reads a script from a file, or for - from standard input.
func (p *program) readScript(ctx context.Context, path string) (steer.Script, error) {
	if path == "-" {
		return steer.Parse(p.stdin)
	}
	text, err := objects.ReadFile(ctx, path)
	if err != nil {
		return nil, &usageError{fmt.Errorf("the script cannot be read: %w", err)}
	}
	return steer.Parse(bytes.NewReader(text))
}

// steer applies the script, and refines the topics if there are documents.
func (f *steerFlags) steer(ctx context.Context, p *program, w work) (*steer.Session, *fit.Fitted, error) {
	script, err := f.read(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	options := f.learning
	if err := checkRefine(&options); err != nil {
		return nil, nil, err
	}
	if len(w.args) == 1 && (options.Refine.Passes > 0 || options.Refine.For != refine.ForAuto) {
		return nil, nil, &usageError{errors.New("topics are refined by documents: name shards after the model, or leave " +
			"--refine and --for out")}
	}
	if len(w.args) > 1 && !options.Refines() {
		return nil, nil, &usageError{errors.New("documents refine the topics, which --refine none leaves out: leave one of " +
			"both out")}
	}
	if err := f.source.limit.holdsModel(); err != nil {
		return nil, nil, err
	}
	w.run.MemoryLimit = f.source.limit.chosen()
	session, err := steer.Open(ctx, w.args[0], w.run)
	if err != nil {
		return nil, nil, err
	}
	if err := session.Run(ctx, script); err != nil {
		return nil, nil, err
	}
	if len(w.args) == 1 {
		fitted, err := session.Fitted(ctx)
		if err == nil {
			err = fitted.Add(ctx, nil, f.extras.extras())
		}
		return session, fitted, err
	}
	m := session.Model()
	docs, err := f.source.openItems(ctx, p, w.args[1:], m.Vocabulary)
	if err != nil {
		return nil, nil, err
	}
	defer p.closeDocuments(docs)
	options.Seed = m.Manifest.Sketch.Seed
	fitted, err := session.Refine(ctx, docs, options)
	if err == nil {
		extras := f.extras.extras()
		extras.Shards = f.source.found
		err = fitted.Add(ctx, docs, extras)
	}
	return session, fitted, err
}

// steeredView is what became of a topic.
type steeredView struct {
	ID        int      `json:"id"`
	Name      string   `json:"name,omitempty"`
	Change    string   `json:"change"` // new, gone, or how far it moved
	Distance  float64  `json:"distance"`
	Before    float64  `json:"share_before"`
	Share     float64  `json:"share"`
	Anchor    string   `json:"anchor,omitempty"`
	Prominent []string `json:"prominent"`
}

// steeredViews returns what became of all topics, in the order of their ids.
func (p *program) steeredViews(changes []steer.Change, m *model.Model) (views []steeredView) {
	for _, c := range changes {
		v := steeredView{ID: c.ID, Change: c.What(), Distance: c.Distance, Before: c.ShareBefore, Share: c.Share,
			Prominent: []string{}}
		if c.Now >= 0 {
			v.Anchor = m.Name(m.Anchors[c.Now])
			v.Prominent = m.Names(m.Prominent[c.Now][:min(p.items(), len(m.Prominent[c.Now]))])
			v.Name = m.TopicName(c.Now)
		}
		views = append(views, v)
	}
	slices.SortStableFunc(views, func(a, b steeredView) int { return a.ID - b.ID })
	return views
}

// printSteered prints what the steps changed.
func (p *program) printSteered(s *steer.Session, fitted *fit.Fitted, path string) error {
	m := fitted.Loaded()
	views := p.steeredViews(s.Changes(m), m)
	value := map[string]any{"output": path, "steps": len(s.Script()), "items": m.Vocabulary.Len(), "topics": views,
		"refined": fitted.Manifest.Refine, "script": s.Script().String()}
	return p.print(value, func(w io.Writer) {
		printf(w, "%s; %s\n\n", count(len(s.Script()), "step", "steps"), modelLine(m))
		var rows []table.Row
		same := 0
		for _, v := range views {
			if v.Change == "same" && (m.TopicNames == nil || m.TopicNames[m.TopicOf(v.ID)] == "") {
				same++
				continue
			}
			distance := fmt.Sprintf("%.2f", v.Distance)
			if v.Change == "new" || v.Change == "gone" {
				distance = "-"
			}
			rows = append(rows, table.Row{Cells: []string{fmt.Sprint(v.ID), v.Name, v.Change, distance,
				fmt.Sprintf("%.1f%% → %.1f%%", 100*v.Before, 100*v.Share), v.Anchor}, Lists: [][]string{v.Prominent}})
		}
		p.printTable(w, []string{" topic", "name", "change", " distance", " share", "anchor", "prominent"}, rows, false)
		if same > 0 {
			printf(w, "%d topics stay the same, up to a distance of %.2f.\n", same, steer.SameTopic)
		}
		p.printEnd(w, m, path, path)
	})
}
