// Package soak treats the program as machines and disks do on bad days, and checks whether anything is lost or silently
// wrong. It runs the real program in separate processes, built with the tag faults, by which the environment can make
// operations on files fail (internal/durable/environment.go). internal/verify damages what was written.
//
// To add an attack: a row of attacks, with what it disturbs and a function that fills an Outcome.
package soak

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"time"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
)

//go:embed page.md
var page string

// attack is a way to disturb runs of the program, or what they have written.
type attack struct {
	name    string
	what    string   // is disturbed and counted
	goal    int      // the usual count, which is the goal
	targets []string // what is disturbed, each in every way of hows
	hows    []string
	// run disturbs o.What in the way o.How, about enough times.
	run func(w *Workshop, ctx context.Context, o *Outcome, enough int) error
}

// attacks are all of them.
var attacks = []attack{
	{"kill", "runs that kill -9 ends", 1000, names(tasks), []string{"kill -9"}, over(tasks, (*Workshop).kill)},
	{"terminate", "runs that SIGTERM ends", 200, names(tasks), []string{"SIGTERM"}, over(tasks, (*Workshop).terminate)},
	{"fail", "runs in which operations on files fail", 1000, names(failing), names(faultKinds),
		over(failing, (*Workshop).fail)},
	{"writers", "pairs of updates of one store, and of fits of one model, at once", 60, names(racing),
		[]string{"two writers"}, over(racing, (*Workshop).race)},
	{"readers", "readings of a store while updates change it", 300, names(readings),
		[]string{"while updates change the store"}, over(readings, (*Workshop).read)},
	{"crash", "states that a crash of the machine leaves", 1000, names(tasks), []string{"power cut"},
		over(tasks, (*Workshop).crash)},
	{"calls", "runs in which a system call fails, by strace", 500, names(failing), []string{"strace"},
		over(failing, (*Workshop).call)},
	{"replace", "outputs where something is that must stay", len(kept) * len(making), making,
		[]string{"kept"}, (*Workshop).replace},
	{"memory", "runs under limits of memory", 130, append([]string{"items m learn in", "items m eval in",
		"inspect in --full"}, limited...), []string{"--memory-limit"}, (*Workshop).memory},
}

// names returns the names of tasks or kinds of faults.
func names[T interface{ called() string }](list []T) (all []string) {
	for _, one := range list {
		all = append(all, one.called())
	}
	return all
}

func (t task) called() string      { return t.name }
func (k faultKind) called() string { return k.name }

// over makes the function of an attack on tasks.
func over(list []task, do func(w *Workshop, ctx context.Context, t task, o *Outcome, enough int) error) func(*Workshop,
	context.Context, *Outcome, int) error {
	return func(w *Workshop, ctx context.Context, o *Outcome, enough int) error {
		return do(w, ctx, list[slices.IndexFunc(list, func(t task) bool { return t.name == o.What })], o, enough)
	}
}

// Part is the soak.
var Part = &run.Part{
	Name: "soak", Title: "The program on bad days",
	Uses:     []string{"cmd/anchorage", "internal/durable", "model", "serve", "store"},
	About:    "Kill, starve and damage the program and what it writes",
	Settings: settingsOf(attacks),
	Keys:     []string{"attack", "what", "how", "seed"},
	Cells: func(v *run.Values) (cells []run.Values, _ error) {
		for _, a := range attacks {
			n, at := len(a.targets)*len(a.hows), 0
			for _, what := range a.targets {
				for _, how := range a.hows {
					count := v.Int(a.name)
					if enough := count*(at+1)/n - count*at/n; enough > 0 {
						cells = append(cells, v.With("attack", a.name, "what", what, "how", how, "enough", enough))
					}
					at++
				}
			}
		}
		return cells, nil
	},
	Prepare: run.Keeping(func(ctx context.Context, j *run.Job) (*Workshop, error) {
		return NewWorkshop(ctx, j.Shared, j.Int("documents"), j.Seed("seed"))
	}),
	Measure: measure,
	Notes:   notes(),
	Page:    page,
}

func settingsOf(list []attack) []run.Setting {
	settings := []run.Setting{
		{Name: "documents", Default: "2000", Help: "documents of the corpus", How: true},
		{Name: "seed", Default: "1", Help: "seed of what is drawn", How: true},
	}
	for _, a := range list {
		settings = append(settings, run.Setting{Name: a.name, Default: fmt.Sprint(a.goal), Help: a.what + "; 0 for none",
			How: true})
	}
	return settings
}

func notes() (list []show.Note) {
	for _, a := range attacks {
		list = append(list, show.Note{Name: a.name, Text: a.what})
	}
	return list
}

// measure makes an attack on one target.
func measure(ctx context.Context, j *run.Job) error {
	w, o, begun := j.State.(*Workshop), &Outcome{What: j.Text("what"), How: j.Text("how")}, time.Now()
	if w.deadline = (time.Time{}); j.Limit > 0 {
		w.deadline = begun.Add(j.Limit)
	}
	a := attacks[slices.IndexFunc(attacks, func(a attack) bool { return a.name == j.Text("attack") })]
	if err := a.run(w, ctx, o, j.Int("enough")); err != nil {
		return err
	}
	j.Row("goal", a.goal, "disturbed", o.Disturbed, "refused", o.Refused, "complete", o.Complete, "problems",
		len(o.Problems), "most_left", o.Left, "slowest_end_ms", float64(o.Slowest)/float64(time.Millisecond), "seconds",
		time.Since(begun), "note", o.Note)
	for _, problem := range o.Problems {
		j.Log.Error("problem", "attack", a.name, "what", o.What, "problem", problem)
		j.Add("problems", "problem", problem)
	}
	return nil
}

// Outcome is what became of one thing that was disturbed in one way.
type Outcome struct {
	What, How string
	Disturbed int           // runs, or readings
	Refused   int           // of those, that ended with an error, an interrupt or a kill
	Complete  int           // of those, after which the new output was there, or the right values were read
	Left      int           // files and folders for the next run to remove, at most
	Slowest   time.Duration // from a signal to the end
	Note      string
	Problems  []string
}

// problem notes a problem.
func (o *Outcome) problem(format string, args ...any) {
	o.Problems = append(o.Problems, fmt.Sprintf(format, args...))
}
