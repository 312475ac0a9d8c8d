// This file holds the register of flags: what a row says of a flag or a setting, and how the command line gets it.
// Help, completion and checks come from the rows, as does what a checkpoint, a store and several ranks
// compare.

package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// row is a flag of a command, or one of its settings, which --set NAME=VALUE sets.
type row struct {
	name   string
	short  string // its letter, or empty
	group  *group
	layer  layer
	effect effect
	to     any    // the field that it sets: a pointer, or a func(text string) error that reads the value
	usual  string // the default; if it is empty, that is the present value of the field
	bare   string // the value of the flag without one
	// the command cannot do without it
	required bool
	values   values
	help     string
}

// group is a heading of help.
type group struct{ title string }

// The groups, in the order of help.
var (
	inputGroup  = &group{"Input"}
	topicsGroup = &group{"Topics"}
	queryGroup  = &group{"Query"}
	serverGroup = &group{"Server"}
	storeGroup  = &group{"Store"}
	outputGroup = &group{"Output"}
	memoryGroup = &group{"Memory and time"}
	resumeGroup = &group{"Resume"}
	logGroup    = &group{"Log and help"}
	groups      = []*group{inputGroup, topicsGroup, queryGroup, serverGroup, storeGroup, outputGroup, memoryGroup,
		resumeGroup, logGroup}
)

// layer says where a row is shown.
type layer int

const (
	everyday layer = iota // in --help
	advanced              // in --help-all
	setting               // in anchorage help settings: no flag, but a name that --set takes
)

// effect says what a row gates.
type effect int

const (
	learns effect = iota // on the result: a store remembers it until it is changed, and a checkpoint is of this value only
	reads                // on how shards are read: a store, which does not read them again, remembers it for good
	gates                // on whether a result counts: a store remembers it until another one is given
	once                 // on the result of this run only
	none                 // on no result
	local                // on no result, and it may differ among ranks: it concerns the machine or the log
)

// flag returns the row of an everyday flag.
func (g *group) flag(name string, to any, values values, help string) row {
	return row{name: name, group: g, to: to, values: values, help: help}
}

// more returns the row of a flag that only --help-all shows.
func (g *group) more(name string, to any, values values, help string) row {
	return row{name: name, group: g, layer: advanced, to: to, values: values, help: help}
}

// expert returns the row of a setting.
func expert(name string, to any, values values, help string) row {
	return row{name: name, layer: setting, to: to, values: values, help: help}
}

// by returns the row with a default, does with what it gates, and letter with its letter.
func (r row) by(usual string) row     { r.usual = usual; return r }
func (r row) does(effect effect) row  { r.effect = effect; return r }
func (r row) letter(short string) row { r.short = short; return r }

// without returns the row with the value of the flag without one.
func (r row) without(value string) row { r.bare = value; return r }

// value is a row as the command line sets it.
type value struct {
	row
	text string
	list bool // the field is a list that has begun
}

// Set implements pflag.Value.
func (v *value) Set(text string) error {
	if read, own := v.to.(func(string) error); own {
		if err := v.values.check(text); err != nil {
			return err
		}
		v.text = text
		return read(text)
	}
	field := reflect.ValueOf(v.to).Elem()
	if w := v.values.word(text); w != nil {
		field.Set(reflect.ValueOf(w.meaning()).Convert(field.Type()))
		v.text = text
		return nil
	}
	if err := v.values.check(text); err != nil {
		return err
	}
	if field.Kind() == reflect.Slice {
		return v.add(field, text)
	}
	v.text = text
	return v.values.kind.set(field, text)
}

// add adds to a list.
func (v *value) add(field reflect.Value, text string) error {
	items := []string{text}
	if v.values.kind == commas {
		var err error
		if items, err = readCommas(text); err != nil {
			return err
		}
	}
	if !v.list {
		field.SetZero()
		v.list = true
	}
	field.Set(reflect.AppendSlice(field, reflect.ValueOf(items)))
	v.text = strings.Join(field.Interface().([]string), ",")
	return nil
}

// String implements pflag.Value. Numbers have one spelling.
func (v *value) String() string {
	if v.to == nil {
		return ""
	}
	if _, own := v.to.(func(string) error); own || v.text != "" && v.values.word(v.text) != nil {
		return v.text
	}
	if v.values.kind == size || v.values.kind == commas || v.values.kind == repeated {
		return v.text
	}
	return textOf(v.values, reflect.ValueOf(v.to).Elem())
}

// textOf returns the value of a field as a user writes it.
func textOf(values values, field reflect.Value) string {
	for _, w := range values.words {
		if reflect.ValueOf(w.meaning()).Convert(field.Type()).Equal(field) {
			return w.name
		}
	}
	return fmt.Sprint(field.Interface())
}

// Type implements pflag.Value: help shows it as the place of the value.
func (v *value) Type() string {
	if v.values.kind == yesNo {
		return "bool"
	}
	return v.values.place()
}

// spelled returns the row as it is written on a command line: -k, --min-df, or --set polish.
func (r *row) spelled() string {
	switch {
	case r.layer == setting:
		return "--set " + r.name
	case r.short != "":
		return "-" + r.short
	}
	return "--" + r.name
}

// settings is the value of --set: the settings of a command.
type settings struct{ *pflag.FlagSet }

// Set implements pflag.Value.
func (s settings) Set(text string) error {
	name, value, assigned := strings.Cut(text, "=")
	flag := s.Lookup(name)
	switch {
	case flag == nil:
		return &settingError{fmt.Errorf("there is no setting %q of this command%s; anchorage help settings lists all", name,
			meant(nearFlags(s.FlagSet, name, "")))}
	case !assigned:
		return &settingError{fmt.Errorf("--set %s has no value: write --set %s=VALUE, and give %s", name, name, wanted(flag))}
	}
	if err := flag.Value.Set(value); err != nil {
		return &settingError{refused(flag, value, err)}
	}
	flag.Changed = true
	return nil
}

// String implements pflag.Value.
func (s settings) String() string { return "" }

// Type implements pflag.Value.
func (s settings) Type() string { return "NAME=VALUE" }

// settingError is the error of a setting.
type settingError struct{ error }

// register adds rows to the flags of a command. A row whose name is there already is left out.
func register(flags *pflag.FlagSet, rows ...row) {
	flags.SortFlags = false
	expert := pflag.NewFlagSet("", pflag.ContinueOnError)
	for _, r := range rows {
		to := flags
		if r.layer == setting {
			to = expert
		}
		if to.Lookup(r.name) != nil {
			panic("register: two rows of the name " + r.name)
		}
		v := &value{row: r}
		if r.usual != "" {
			if err := v.Set(r.usual); err != nil {
				panic(fmt.Sprintf("register: the default of %s: %v", r.name, err))
			}
			v.list = false
		}
		flag := to.VarPF(v, r.name, r.short, r.help)
		flag.NoOptDefVal = r.bare
		if r.values.kind == yesNo {
			flag.NoOptDefVal = "true"
		}
	}
	if expert.HasFlags() {
		flags.AddFlag(&pflag.Flag{Name: "set", Value: settings{expert}, Usage: "an expert setting; anchorage help settings " +
			"lists them; repeatable"})
	}
}

// settingsOf returns the settings of a command; empty if it has none.
func settingsOf(flags *pflag.FlagSet) *pflag.FlagSet {
	if flag := flags.Lookup("set"); flag != nil {
		return flag.Value.(settings).FlagSet
	}
	return new(pflag.FlagSet)
}

// lookup returns a flag or a setting of a command; nil if it has neither of the name.
func lookup(flags *pflag.FlagSet, name string) *pflag.Flag {
	if flag := flags.Lookup(name); flag != nil {
		return flag
	}
	return settingsOf(flags).Lookup(name)
}

// given reports whether the command line has a flag or a setting.
func given(flags *pflag.FlagSet, name string) bool {
	flag := lookup(flags, name)
	return flag != nil && flag.Changed
}

// eachRow calls fn with every row of a command and its flag, which has its value.
func eachRow(flags *pflag.FlagSet, fn func(*value, *pflag.Flag)) {
	visit := func(flag *pflag.Flag) {
		if v, is := flag.Value.(*value); is {
			fn(v, flag)
		}
	}
	flags.VisitAll(visit)
	settingsOf(flags).VisitAll(visit)
}

// linesOf returns the rows whose effect is among some, as --name=value.
func linesOf(flags *pflag.FlagSet, effects ...effect) (lines []string) {
	eachRow(flags, func(v *value, _ *pflag.Flag) {
		if slices.Contains(effects, v.effect) {
			lines = append(lines, "--"+v.name+"="+v.String())
		}
	})
	return lines
}
