// This file shows the first documents of a shard, and suggests how to learn from them.

package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"anchorage/shard"
	"anchorage/shard/fault"
	"anchorage/stream"
)

// unreadError says how many shards cannot be read. What is wrong with them stands in the inspection.
type unreadError struct {
	unread, shards int
	first          error
}

// add adds a shard and what is wrong with it.
func (e *unreadError) add(err error) {
	e.unread++
	e.first = cmp.Or(e.first, err)
}

// Error says how many of the shards cannot be read.
func (e *unreadError) Error() string {
	if e.shards == 1 {
		return "the shard cannot be read, as shown above"
	}
	return fmt.Sprintf("%d of %d shards cannot be read, as shown above", e.unread, e.shards)
}

// printExamples prints a line per document.
func printExamples(w io.Writer, documents []stream.Example, width int) {
	for i, d := range documents {
		var items []string
		for _, item := range d.Items {
			text := item.Item
			if item.Count > 1 {
				text = fmt.Sprintf("%s ×%d", text, item.Count)
			}
			items = append(items, text)
		}
		if d.More > 0 {
			items = append(items, fmt.Sprintf("and %d more", d.More))
		}
		name := cmp.Or(d.ID, fmt.Sprint(i+1))
		line := []rune(fmt.Sprintf("  document %s: %s", name, strings.Join(items, " · ")))
		if len(line) > width {
			line = append(line[:max(width-1, 20)], '…')
		}
		printf(w, "%s\n", string(line))
	}
}

// remedies are flags with which fit reads what it cannot read without them, by the reason.
var remedies = map[fault.Reason]string{
	fault.Scattered:     "--group",
	fault.StringItems:   "--tokenize",
	fault.CountsMissing: `--counts-column -`,
	fault.CountNegative: "--counts drop-negative",
	fault.CountZero:     "--counts drop-zero",
	fault.CountFraction: "--counts round",
	fault.CountEmpty:    "--counts drop-empty",
}

// suggestion returns the fit that inspect suggests for the shards of args: with the flags that inspect was given, those that make the
// shards readable, and a number of topics for so many documents. "" if no flag is known to help.
func suggestion(v *stream.Inspection, flags *pflag.FlagSet, args []string, problem error) string {
	words := []string{"anchorage", "fit"}
	for _, arg := range args {
		words = append(words, quoted(arg))
	}
	var given []string
	eachRow(flags, func(v *value, flag *pflag.Flag) {
		switch {
		case !flag.Changed || v.effect != reads && v.name != "memory-limit":
		case v.layer == setting:
			given = append(given, "--set", v.name+"="+quoted(flag.Value.String()))
		case v.values.kind == yesNo:
			given = append(given, "--"+v.name)
		default:
			given = append(given, "--"+v.name, quoted(flag.Value.String()))
		}
	})
	if problem != nil {
		var input *shard.Error
		if !errors.As(problem, &input) {
			return ""
		}
		remedy := remedies[input.Reason()]
		switch {
		case remedy == "" && input.InRow():
			remedy = "--on-bad-row skip"
		case remedy == "":
			return ""
		}
		name, value, _ := strings.Cut(remedy, " ")
		if at := slices.Index(given, name); at >= 0 && value != "" && name == "--counts" {
			given[at+1] = strings.TrimPrefix(given[at+1]+","+value, "exact,")
		} else if at < 0 {
			given = append(given, strings.Fields(remedy)...)
		}
	}
	if v.Different != "" {
		given = append(given, "--mixed")
	}
	words = append(words, given...)
	return strings.Join(append(words, "-k", fmt.Sprint(fewTopics(v)), "-o", "model"), " ")
}

// fewTopics returns a number of topics to begin with: a hundredth of the documents, between 5 and 100, and no more than a third of the
// items.
func fewTopics(v *stream.Inspection) int {
	return max(2, min(max(5, int(min(v.Documents/100, 100))), v.Items/3))
}

// quoted returns an argument as a shell takes it.
func quoted(arg string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=@,+%", r)
	}
	if arg != "" && strings.IndexFunc(arg, func(r rune) bool { return !plain(r) }) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}
