// This file holds the range of every flag that takes a number. A value out of its range is refused while flags are read, before
// any work.

package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"anchorage/bayes"
	"anchorage/model"
	"anchorage/model/fit"
)

// numbers is the range of a flag: what its values are, the least and the most of them, and the words that stand beside them.
type numbers struct {
	kind        *numberKind
	least, most float64 // exact: whole numbers stay below 2⁵³
	words       []string
}

// numberKind says how the values of a flag are written.
type numberKind struct {
	name  string // with its article
	parse func(string) (float64, error)
	text  func(float64) string
}

var (
	whole    = &numberKind{"a whole number", parseWhole, func(v float64) string { return humanize.Comma(int64(v)) }}
	real     = &numberKind{"a number", func(s string) (float64, error) { return strconv.ParseFloat(s, 64) }, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }}
	size     = &numberKind{"a size", parseBytes, func(v float64) string { return humanize.IBytes(uint64(v)) }}
	duration = &numberKind{"a duration", parseDuration, func(v float64) string { return time.Duration(v).String() }}
)

func parseWhole(text string) (float64, error) {
	n, err := strconv.ParseInt(text, 0, 64)
	return float64(n), err
}

func parseBytes(text string) (float64, error) {
	n, err := parseLimit(text)
	return float64(n), err
}

func parseDuration(text string) (float64, error) {
	d, err := time.ParseDuration(text)
	return float64(d), err
}

const (
	mostRounds    = bayes.MostIterations // of anything that is repeated
	mostNumbered  = math.MaxInt32        // items have numbers of 32 bits
	mostDocuments = 1_000_000_000_000    // documents, or rows
	mostBytes     = 1 << 50
	mostRanks     = 1 << 16
	leastPositive = 1e-15
	day           = float64(24 * time.Hour)
)

// ranges are the ranges, by the name of the flag. A command whose flag of that name has another range comes before the name, with a blank
// between them.
var ranges = map[string]numbers{
	"topics":             {kind: whole, least: leastTopics, most: fit.MostTopics},
	"fit topics":         {kind: whole, least: leastTopics, most: fit.MostTopics, words: []string{topicsAuto}},
	"from":               {kind: whole, least: leastTopics, most: fit.MostTopics},
	"to":                 {kind: whole, least: leastTopics, most: fit.MostTopics},
	"steps":              {kind: whole, least: 1, most: 1000},
	"trends topics":      {kind: whole, least: 1, most: 1000},
	"level":              {kind: whole, least: 0, most: fit.MostTopics},
	"passes":             {kind: whole, least: 1, most: fit.MostPasses, words: []string{"auto"}},
	"sketch-columns":     {kind: whole, least: 0, most: fit.MostColumns},
	"enn-iterations":     {kind: whole, least: 1, most: mostRounds, words: []string{"auto"}},
	"refine":             {kind: whole, least: 1, most: mostRefinements, words: []string{"auto", noRefinement}},
	"ranks":              {kind: whole, least: 1, most: mostRanks},
	"latency":            {kind: duration, least: 0, most: float64(time.Minute)},
	"assume-items":       {kind: real, least: 0, most: mostNumbered},
	"assume-documents":   {kind: real, least: 0, most: 1e15},
	"assume-entries":     {kind: real, least: 0, most: 1e15},
	"assume-growth":      {kind: real, least: 0.01, most: 1},
	"relevance":          {kind: real, least: 1e-6, most: 1, words: []string{"auto"}},
	"anchor-min-df":      {kind: whole, least: 0, most: mostDocuments},
	"top":                {kind: whole, least: 0, most: model.TopItems},
	"workers":            {kind: whole, least: 0, most: fit.MostWorkers},
	"memory-limit":       {kind: size, least: 1, most: mostBytes, words: []string{memoryAuto, memoryNone}},
	"corrections-memory": {kind: size, least: 0, most: mostBytes},
	"spill-limit":        {kind: size, least: 0, most: mostBytes},

	"min-df":              {kind: whole, least: 0, most: mostDocuments, words: []string{"auto"}},
	"min-shards":          {kind: whole, least: 0, most: mostNumbered},
	"min-documents":       {kind: whole, least: 0, most: mostDocuments},
	"time-limit":          {kind: duration, least: 0, most: 366 * day},
	"checkpoint-interval": {kind: duration, least: 0, most: 366 * day},
	"max-df-ratio":        {kind: real, least: 0, most: 1, words: []string{"auto"}},
	"max-items":           {kind: whole, least: 0, most: mostNumbered},
	"min-items":           {kind: whole, least: 0, most: mostNumbered, words: []string{"auto"}},
	"min-tokens":          {kind: whole, least: 0, most: mostDocuments, words: []string{"auto"}},
	"min-word-length":     {kind: whole, least: 0, most: 1000},
	"max-bad-rows":        {kind: whole, least: 0, most: mostDocuments},
	"shard-size":          {kind: size, least: 1, most: mostBytes},
	"shard-documents":     {kind: whole, least: 0, most: mostDocuments},

	"batch-size":           {kind: whole, least: 1, most: bayes.MostBatch},
	"epochs":               {kind: whole, least: 1, most: mostRounds},
	"iterations":           {kind: whole, least: 1, most: mostRounds},
	"transform iterations": {kind: whole, least: 0, most: mostRounds},
	"tolerance":            {kind: real, least: 0, most: 1},
	"t0":                   {kind: real, least: leastPositive, most: bayes.MostParameter},
	"kappa":                {kind: real, least: 0.5, most: 1},
	"c0":                   {kind: real, least: 0, most: bayes.MostParameter},
	"a0":                   {kind: real, least: 0, most: bayes.MostParameter},
	"b0":                   {kind: real, least: 0, most: bayes.MostParameter},
	"variance":             {kind: real, least: 0, most: bayes.MostParameter},
	"latent":               {kind: whole, least: 0, most: fit.MostTopics},
	"local-iterations":     {kind: whole, least: 1, most: mostRounds},
	"local-tolerance":      {kind: real, least: leastPositive, most: 1},
	"test-every":           {kind: whole, least: 0, most: 1_000_000_000},
	"checkpoint-every":     {kind: whole, least: 0, most: 1_000_000_000},
	"count":                {kind: whole, least: 1, most: 1_000_000},

	"number":                 {kind: whole, least: 0, most: math.MaxUint16},
	"peculiar":               {kind: real, least: 0, most: 1},
	"neighbours":             {kind: whole, least: 0, most: 10_000},
	"items learn neighbours": {kind: whole, least: 1, most: 10_000},
	"pair-items":             {kind: whole, least: 2, most: 1_000_000},
	"baskets":                {kind: whole, least: 1, most: 10_000_000},
	"items learn baskets":    {kind: whole, least: 0, most: 10_000_000},
	"rarer-share":            {kind: real, least: 0, most: 1000},
	"seeds":                  {kind: whole, least: 1, most: 10_000},
	"dimensions":             {kind: whole, least: 1, most: 10_000},
	"ease-items":             {kind: whole, least: 1, most: 20_000},
	"ease-lambda":            {kind: real, least: leastPositive, most: bayes.MostParameter},
	"retain":                 {kind: whole, least: 1, most: 1_000_000},
	"threshold":              {kind: real, least: leastPositive, most: 1},
	"columns":                {kind: whole, least: 0, most: 100_000},
	"hulls":                  {kind: whole, least: 0, most: 100_000},

	"watch-every":     {kind: duration, least: float64(time.Millisecond), most: 365 * day},
	"timeout":         {kind: duration, least: float64(time.Millisecond), most: day},
	"drain":           {kind: duration, least: float64(time.Millisecond), most: day},
	"max-body":        {kind: whole, least: 1, most: 1 << 40},
	"max-documents":   {kind: whole, least: 1, most: 1_000_000},
	"serve max-items": {kind: whole, least: 1, most: mostNumbered},
	"max-requests":    {kind: whole, least: 0, most: 1_000_000},
	"max-waiting":     {kind: whole, least: 0, most: 1_000_000},
}

// String says what the flag takes.
func (n numbers) String() string {
	text := fmt.Sprintf("%s from %s to %s", n.kind.name, n.kind.text(n.least), n.kind.text(n.most))
	for _, word := range n.words {
		text += ", or " + word
	}
	return text
}

// check returns an error if text is none of the values.
func (n numbers) check(text string) error {
	if slices.Contains(n.words, text) {
		return nil
	}
	value, err := n.kind.parse(text)
	if err != nil || !(value >= n.least && value <= n.most) { // NaN is in no range
		return fmt.Errorf("%q is not %s", text, n)
	}
	return nil
}

// ranged is the value of a flag with a range.
type ranged struct {
	pflag.Value
	numbers numbers
}

// Set implements pflag.Value.
func (r ranged) Set(text string) error {
	if err := r.numbers.check(text); err != nil {
		return err
	}
	return r.Value.Set(text)
}

// rangeOf returns the range of a flag of a command. known is false if it has none.
func rangeOf(command *cobra.Command, name string) (n numbers, known bool) {
	path := strings.TrimPrefix(command.CommandPath(), command.Root().Name()+" ")
	if n, known = ranges[path+" "+name]; !known {
		n, known = ranges[name]
	}
	return n, known
}

// limitFlags holds the flags of a command, and of those below it, to their ranges, and tells help of them.
func limitFlags(command *cobra.Command) {
	limit := func(flag *pflag.Flag) {
		// Flags of other types share some names: --topics of eval is the name of a file.
		if n, known := rangeOf(command, flag.Name); known && n.takes(flag) {
			flag.Value = ranged{flag.Value, n}
			flag.Usage += fmt.Sprintf(" (%s to %s)", n.kind.text(n.least), n.kind.text(n.most))
		}
	}
	command.LocalNonPersistentFlags().VisitAll(limit)
	command.PersistentFlags().VisitAll(limit)
	for _, below := range command.Commands() {
		limitFlags(below)
	}
}

// takes reports whether a flag's values can be of the range: it is of a type for numbers, or of text with words beside numbers or for sizes.
func (n numbers) takes(flag *pflag.Flag) bool {
	return flag.Value.Type() != "string" || n.kind == size || len(n.words) > 0
}
