// This file holds the kinds of values that flags and settings take, and the ranges of numbers.

package main

import (
	"encoding/csv"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"anchorage/bayes"
	"anchorage/internal/safetext"
)

// values says what a row takes: a number of a range, some words, or text.
type values struct {
	kind        *kind
	least, most float64 // exact: whole numbers stay below 2⁵³
	words       []word
	path        bool   // which shells complete by themselves
	role        role   // of a path
	csv         bool   // of a table that is written as CSV if the path says so
	as          string // the place of the value in help; empty for that of the kind
}

// word is a word that a row takes, a few words about it, and what it sets; nil for itself.
type word struct {
	name, help string
	value      any
}

// role says what a command does with a path; see program.guard.
type role int

const (
	readsPath     role = iota
	writtenFile        // a result of one file
	writtenFolder      // a result that may be a folder
	keptFile           // a file that every run writes again
	worksIn            // a folder for working files, which must be there
)

// meaning returns what the word sets a field to.
func (w *word) meaning() any {
	if w.value == nil {
		return w.name
	}
	return w.value
}

// kind says how values are written.
type kind struct {
	name  string // with its article
	place string // of the value in help
	parse func(string) (float64, error)
	text  func(float64) string
}

var (
	whole = &kind{"a whole number", "N", parseWhole, func(v float64) string { return humanize.Comma(int64(v)) }}
	real  = &kind{"a number", "NUMBER", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) },
		func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }}
	size     = &kind{"a size", "SIZE", parseSize, func(v float64) string { return humanize.IBytes(uint64(v)) }}
	duration = &kind{"a duration", "TIME", parseDuration, func(v float64) string { return time.Duration(v).String() }}
	natural  = &kind{name: "a whole number from 0 to 18446744073709551615", place: "N"} // all of 64 bits
	yesNo    = &kind{name: "true or false", place: "true|false"}
	plain    = &kind{name: "a value", place: "TEXT"}
	commas   = &kind{name: "values with commas between them", place: "LIST"}
	repeated = &kind{name: "a value", place: "TEXT"} // of a flag that may be given several times
)

// The values of rows.
var (
	anyText    = values{kind: plain}
	boolean    = values{kind: yesNo}
	commaList  = values{kind: commas}
	repeatable = values{kind: repeated}
	anyFile    = values{kind: plain, path: true, as: "FILE"}
	anyFolder  = values{kind: plain, path: true, as: "FOLDER"}
	fileList   = values{kind: commas, path: true, as: "FILES"}
	newFile    = values{kind: plain, path: true, as: "FILE", role: writtenFile}
	newFolder  = values{kind: plain, path: true, as: "PATH", role: writtenFolder}
	workFolder = values{kind: plain, path: true, as: "FOLDER", role: worksIn}
)

func wholes(least, most float64, words ...word) values {
	return values{kind: whole, least: least, most: most, words: words}
}

func reals(least, most float64, words ...word) values {
	return values{kind: real, least: least, most: most, words: words}
}

func sizes(least float64, words ...word) values {
	return values{kind: size, least: least, most: mostBytes, words: words}
}

func durations(least time.Duration, most float64) values {
	return values{kind: duration, least: float64(least), most: most}
}

// choice are the values of a row that takes only one of a few words.
func choice(list ...word) values { return values{words: list} }

// named returns values with another place in help.
func (v values) named(as string) values {
	v.as = as
	return v
}

const (
	mostRounds    = bayes.MostIterations // of anything that is repeated
	mostNumbered  = math.MaxInt32        // items have numbers of 32 bits
	mostDocuments = 1_000_000_000_000    // documents, or rows
	mostBytes     = 1 << 50
	mostRanks     = 1 << 16
	leastPositive = 1e-15
	day           = float64(24 * time.Hour)
	year          = 366 * day
)

func parseWhole(text string) (float64, error) {
	n, err := strconv.ParseInt(text, 0, 64)
	return float64(n), err
}

func parseDuration(text string) (float64, error) {
	d, err := time.ParseDuration(text)
	return float64(d), err
}

// parseSize returns how many bytes a size such as 0, 512MiB, 2GB or 2g has. KiB, MiB and so on are powers of 1,024; KB,
// k, MB, m and so on are powers of 1,000. Capitals and small letters are the same.
func parseSize(text string) (float64, error) {
	size, err := humanize.ParseBytes(text)
	if err != nil || size < 1 && text != "0" || size > math.MaxInt64 {
		return 0, fmt.Errorf("%q is not a size: write it like 512MiB or 2GB", text)
	}
	return float64(size), nil
}

// readCommas splits a list at commas, outside of double quotes.
func readCommas(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	return csv.NewReader(strings.NewReader(text)).Read()
}

// word returns the word that a text is; nil for others.
func (v values) word(text string) *word {
	for i := range v.words {
		if v.words[i].name == text {
			return &v.words[i]
		}
	}
	return nil
}

// String says what the values are.
func (v values) String() string {
	if v.kind == nil {
		return safetext.List(v.names(), "or")
	}
	said := v.kind.name
	if v.kind.text != nil {
		said += fmt.Sprintf(" from %s to %s", v.kind.text(v.least), v.kind.text(v.most))
	}
	for _, w := range v.words {
		said += ", or " + w.name
	}
	return said
}

// brief says in tables what the values are.
func (v values) brief() string {
	switch {
	case v.kind == nil:
		return strings.Join(v.names(), ", ")
	case v.kind.text != nil:
		return strings.Join(append([]string{v.kind.text(v.least) + " to " + v.kind.text(v.most)}, v.names()...), ", ")
	}
	return v.place()
}

// place returns the place of the value in help.
func (v values) place() string {
	switch {
	case v.as != "":
		return v.as
	case v.kind == nil:
		return "WORD"
	}
	return v.kind.place
}

// names returns the words.
func (v values) names() (names []string) {
	for _, w := range v.words {
		names = append(names, w.name)
	}
	return names
}

// check returns an error if a text is not one of the values.
func (v values) check(text string) error {
	switch {
	case v.word(text) != nil:
		return nil
	case v.kind == nil:
		return fmt.Errorf("%q is not one of the words", text)
	case v.kind.parse == nil:
		return nil
	}
	number, err := v.kind.parse(text)
	if err != nil || !(number >= v.least && number <= v.most) { // NaN is in no range
		return fmt.Errorf("%q is not %s", text, v)
	}
	return nil
}

// set sets a field to the value of a text that check accepts.
func (k *kind) set(field reflect.Value, text string) error {
	switch field.Kind() {
	case reflect.String:
		field.SetString(text)
	case reflect.Bool:
		yes, err := strconv.ParseBool(text)
		field.SetBool(yes)
		return err
	case reflect.Float64:
		number, err := k.parse(text)
		field.SetFloat(number)
		return err
	case reflect.Uint64:
		n, err := strconv.ParseUint(text, 0, 64)
		field.SetUint(n)
		return err
	case reflect.Int, reflect.Int64:
		number, err := k.parse(text)
		field.SetInt(int64(number))
		return err
	default:
		panic("register: no row sets a " + field.Type().String())
	}
	return nil
}
