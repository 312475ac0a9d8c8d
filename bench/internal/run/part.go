// Package run makes the runs of a part of bench and keeps them.
//
// A Part is a row of a table: its name, the settings of its command, which of them span the grid of runs, a function
// that makes one run, and the template that shows the results. The runner does the rest. It makes the runs that the
// folder has no row of, each in a separate process where the part asks for it, within limits of time. It keeps one
// row for a run in runs.csv: the columns of Keys, why the run failed, what Measure reported with Job.Row, and when, by
// which command and on which machine it was made. What Job.Add reports is in further tables, whose column run is the
// number of the row in runs.csv, from 1. Package show then writes README.md and charts from these files only, so that
// results can be shown again without being made.
//
// To add a part: write a package below bench/internal with a Part and a template page.md, and name the part in
// bench/parts.go, and in bench/all.txt its command lines, if it belongs to the whole set.
package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"anchorage/bench/internal/show"
)

// Part is a part of bench.
type Part struct {
	Name, About string // of the command
	Title       string // of README.md
	Settings    []Setting
	// Keys name the columns that say which run a row is of. Without Cells, each is a setting, and the grid has a run for
	// every combination of the values in their lists, the last key first. The key "flags" has the other settings that are
	// not defaults.
	Keys  []string
	Cells func(*Values) ([]Values, error)
	Check func(*Values) error // what is wrong with the settings; may be nil
	// Prepare, if not nil, makes what runs with the same values of Shared have in common, in the folder Job.Shared; it is
	// called in the main process.
	Shared  []string
	Prepare func(context.Context, *Job) error
	// Hopeless, if not nil, says why a run need not be tried, from the rows of the folder.
	Hopeless func(*Job, []show.Row) string
	// Measure makes one run. An error is a failure of this run only, unless ctx has ended; an Absent one leaves no row.
	Measure func(context.Context, *Job) error
	Alone   bool // each run is in a separate process, so that time and memory are its own
	Notes   []show.Note
	Page    string // the template of README.md
	// Uses are the folders of code that results depend on, besides the part itself; nil means Pipeline.
	Uses  []string
	Funcs template.FuncMap
}

// Setting is a flag of a part. The form of the default decides which values are taken: numbers, true or false, or
// names. A setting that does not change what is measured, such as a folder, has How.
type Setting struct {
	Name, Default, Help string
	How                 bool
	Among               []string // the names that it takes; nil for any
}

// Keeping makes a Prepare that leaves what a function returns as the state of a job.
func Keeping[T any](prepare func(context.Context, *Job) (T, error)) func(context.Context, *Job) error {
	return func(ctx context.Context, j *Job) error {
		state, err := prepare(ctx, j)
		if err == nil {
			j.State = state
		}
		return err
	}
}

// Values are the values of settings and keys.
type Values map[string]string

// Text returns a value, and the others return it as what it is. The runner has checked the form; another one is the
// programmer's fault.
func (v Values) Text(name string) string {
	value, ok := v[name]
	if !ok {
		panic("run: there is no setting " + name)
	}
	return value
}

// List returns the texts between commas.
func (v Values) List(name string) []string {
	return strings.FieldsFunc(v.Text(name), func(r rune) bool { return r == ',' })
}

// Int returns a whole number.
func (v Values) Int(name string) int { return must(strconv.Atoi(v.Text(name))) }

// Seed returns a number that is not negative.
func (v Values) Seed(name string) uint64 { return must(strconv.ParseUint(v.Text(name), 10, 64)) }

// Float returns a number.
func (v Values) Float(name string) float64 { return must(strconv.ParseFloat(v.Text(name), 64)) }

// Bool returns true or false.
func (v Values) Bool(name string) bool { return must(strconv.ParseBool(v.Text(name))) }

// Ints returns the whole numbers of a list.
func (v Values) Ints(name string) (list []int) {
	for _, text := range v.List(name) {
		list = append(list, must(strconv.Atoi(text)))
	}
	return list
}

// Floats returns the numbers of a list.
func (v Values) Floats(name string) (list []float64) {
	for _, text := range v.List(name) {
		list = append(list, must(strconv.ParseFloat(text, 64)))
	}
	return list
}

func must[T any](value T, err error) T {
	if err != nil {
		panic("run: " + err.Error())
	}
	return value
}

// With returns the values with others added: names and values in turn.
func (v Values) With(pairs ...any) Values {
	out := maps.Clone(v)
	for i := 0; i < len(pairs); i += 2 {
		out[pairs[i].(string)] = cell(pairs[i+1])
	}
	return out
}

// Product returns the values with keys added, for every combination of the values in the lists of settings. A pair is
// KEY=SETTING; the last key changes first.
func (v Values) Product(pairs ...string) []Values {
	cells := []Values{v}
	for _, pair := range pairs {
		key, setting, _ := strings.Cut(pair, "=")
		var longer []Values
		for _, c := range cells {
			for _, value := range v.List(setting) {
				longer = append(longer, c.With(key, value))
			}
		}
		cells = longer
	}
	return cells
}

// UsageError says that a command line cannot be run.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// check returns an error where a value has another form than the default of its setting, or is none of its names.
func (p *Part) check(v Values) error {
	for _, s := range p.Settings {
		first, _, _ := strings.Cut(s.Default, ",")
		for _, text := range v.List(s.Name) {
			if kind := kindOf(first); kind != "a name" && kindOf(text) != kind && !(kind == "a number" &&
				kindOf(text) == "a whole number") {
				return &UsageError{fmt.Errorf("--%s has %q, which is not %s", s.Name, text, kind)}
			}
			if s.Among != nil && !slices.Contains(s.Among, text) {
				return &UsageError{fmt.Errorf("--%s has %q: there are %s", s.Name, text, strings.Join(s.Among, ", "))}
			}
		}
	}
	return nil
}

func kindOf(text string) string {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return "a whole number"
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return "a number"
	}
	if text == "true" || text == "false" {
		return "true or false"
	}
	return "a name"
}

// cells returns the runs of the grid: the settings, with one value for each key.
func (p *Part) cells(v Values) (cells []Values, err error) {
	if err := p.check(v); err != nil {
		return nil, err
	}
	if slices.Contains(p.Keys, "flags") {
		v = v.With("flags", p.flags(v))
	}
	if p.Check != nil {
		err = p.Check(&v)
	}
	if err != nil {
		return nil, &UsageError{err}
	}
	if p.Cells != nil {
		cells, err = p.Cells(&v)
	} else {
		var pairs []string
		for _, key := range p.Keys {
			if key != "flags" {
				pairs = append(pairs, key+"="+key)
			}
		}
		cells = v.Product(pairs...)
	}
	if err == nil && len(cells) == 0 {
		err = errors.New("there is nothing to run: a list is empty")
	}
	if err != nil {
		return nil, &UsageError{err}
	}
	return cells, nil
}

// flags returns the settings that are no defaults, are not keys and change what is measured, as a shell reads them.
func (p *Part) flags(v Values) string {
	var words []string
	for _, s := range p.Settings {
		if !s.How && !slices.Contains(p.Keys, s.Name) && v.Text(s.Name) != s.Default {
			words = append(words, "--"+s.Name, v.Text(s.Name))
		}
	}
	return strings.Join(words, " ")
}

// Defaults returns the defaults of the settings.
func (p *Part) Defaults() Values {
	v := make(Values)
	for _, s := range p.Settings {
		v[s.Name] = s.Default
	}
	return v
}

// Show writes README.md and charts of a folder of results.
func (p *Part) Show(folder string) error {
	return show.Page{Title: p.Title, Template: p.Page, Notes: p.Notes, Funcs: p.Funcs, Older: p.older}.Write(folder)
}
