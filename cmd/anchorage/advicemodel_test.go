package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"anchorage/anchor"
	"anchorage/bayes"
	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/export"
	"anchorage/model/fit"
	"anchorage/sketch"
)

// TestModelAdvice wants every message to end with the flag that would help, and every error to have its exit code.
func TestModelAdvice(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string // flag in the advice; "" for no advice
		code int
	}{
		{errors.New("something else"), "", exitFailed},
		{&anchor.RankError{Topics: 9, Rank: 3}, "-k", exitUsage},
		{fmt.Errorf("anchor: %w", &anchor.ItemError{Fault: anchor.NoCorner}), "--set anchor-min-df", exitUsage},
		{&anchor.NegativeRowsError{Rows: 9, Most: 1, Items: 10}, "--set row-sums=exact", exitUsage},
		{&anchor.ItemError{Fault: anchor.TinyRowSum}, "--min-df", exitUsage},
		{&anchor.ItemError{Fault: anchor.BadValue}, "", exitUsage},
		{&bayes.RoomError{For: "documents", Err: errors.New("no")}, "--spill-dir", exitFailed},
		{&sketch.RankError{Topics: 9, Rank: 3}, "at most 3 with -k", exitUsage},
		{&sketch.RankError{Topics: 2, Rank: 1}, "a model needs at least 2 topics: give more documents", exitInput},
		{&sketch.DenseError{Items: 1e6}, "--method lrjsmf", exitResources},
		{&corpus.DataError{Lack: corpus.AllItemsPruned}, "--min-df", exitInput},
		{&corpus.DataError{Lack: corpus.AllDocumentsShort}, "--min-items", exitInput},
		{&corpus.DataError{Lack: corpus.TooFewItems}, "-k", exitInput},
		{&corpus.DataError{Lack: corpus.NoDocuments}, "", exitInput},
		{&model.InputError{Fault: model.NotMergeable}, "--passes 1", exitInput},
		{&model.InputError{Fault: fit.NoCheckpoint}, "--resume", exitInput},
		{&model.InputError{}, "", exitInput},
		{&fit.MemoryError{Stages: []fit.StageMemory{{Stage: "sketch"}}}, "--memory-limit", exitResources},
		{fmt.Errorf("x: %w", fit.ErrUncounted), "--set item-weights=none", exitUsage},
		{&model.UnknownItemError{ID: "x"}, "", exitInput},
		{&export.ItemError{}, "", exitInput},
		{&export.OptionError{Format: export.PyLDAvis, Documents: true}, "give their topics with --documents", exitUsage},
		{&export.OptionError{Format: export.CSV, Documents: true}, "leave --documents out", exitUsage},
		{&export.OptionError{Format: "pdf"}, "", exitUsage},
	} {
		said := message(test.err)
		rest, found := strings.CutPrefix(said, test.err.Error())
		if !found || (rest == "") != (test.want == "") || !strings.Contains(rest, test.want) {
			t.Errorf("%T says %q: advice %q, want one that names %q", test.err, said, rest, test.want)
		}
		if code := exitCode(test.err); code != test.code {
			t.Errorf("%T: exit code %d, want %d", test.err, code, test.code)
		}
	}
}

// TestOptionFlags wants messages to call options by their flags, and some command to have these flags.
func TestOptionFlags(t *testing.T) {
	if got := message(&model.OptionError{Option: "Topics", Reason: "too few"}); got != "-k: too few" {
		t.Errorf("%q", got)
	}
	if got := message(&model.OptionError{Option: "Other", Reason: "too few"}); got != "Other: too few" {
		t.Errorf("%q", got)
	}
	known := map[string]bool{}
	for _, name := range []string{"fit", "sketch", "export", "compare", "choose-k", "update"} {
		command, _, err := new(program).root().Find(strings.Fields(name))
		if err != nil {
			t.Fatal(err)
		}
		eachRow(command.Flags(), func(v *value, _ *pflag.Flag) { known[v.spelled()] = true })
	}
	for option, name := range optionFlags {
		if !known[name] {
			t.Errorf("option %s has no flag %s", option, name)
		}
	}
}

// TestPaperFlags wants --paper to set existing flags to the values of fit.Published.
func TestPaperFlags(t *testing.T) {
	command, _, err := new(program).root().Find([]string{"fit"})
	if err != nil {
		t.Fatal(err)
	}
	values := published(fit.Published(fit.LRJSMF))
	for name := range values {
		if lookup(command.Flags(), name) == nil {
			t.Errorf("there is no flag or setting %s", name)
		}
	}
	if values["item-weights"] != "none" || values["normalization"] != "uniform" || values["polish"] != "none" ||
		values["relevance"] != "1" ||
		values["row-sums"] != "factor" || values["evidence"] != "false" ||
		values["sketch-method"] != "power" || values["enn-eigenpairs"] != "truncated" {
		t.Errorf("%v", values)
	}
}
