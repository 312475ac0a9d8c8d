// This file prints what was read and what was left out: how much, by which rule, and which flag changes the rule. It
// says whether a model can be relied on, with a remedy for what speaks against it, and holds the quality gate.

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"anchorage/corpus"
	"anchorage/model"
)

// omission is what a rule left out.
type omission struct {
	What  string `json:"what"` // documents, items, tokens or shards
	Count int64  `json:"count"`
	Rule  string `json:"rule"`
	Flag  string `json:"flag,omitempty"` // what changes the rule, with the value that it had; empty where no flag does
}

// omissions lists what an account says was left out. Rules that left nothing out are not in the list.
func omissions(a corpus.Account, skipped []corpus.Skipped) []omission {
	share := 100 * a.MaxDFRatio
	all := []omission{
		{"shards", int64(len(skipped)), "that cannot be read", "--on-bad-shard skip"},
		{"entries", a.LeftOut.Negative, "with a negative amount", "--counts drop-negative"},
		{"entries", a.LeftOut.Zero, "with an amount of 0", "--counts drop-zero"},
		{"entries", a.LeftOut.Empty, "without an amount", "--counts drop-empty"},
		{"rows", a.LeftOut.Totals, "of totals below a table", ""},
		{"rows", a.LeftOut.Bad, "that cannot be read", "--on-bad-row skip"},
		{"items", a.Pruned.MinDF.Items, fmt.Sprintf("in fewer than %d documents", a.MinDF),
			fmt.Sprintf("--min-df %d", a.MinDF)},
		{"items", a.Pruned.MaxDFRatio.Items, fmt.Sprintf("in more than %g%% of the documents", share),
			fmt.Sprintf("--max-df-ratio %g", a.MaxDFRatio)},
		{"items", a.Pruned.Stopwords.Items, "among the stop words", "--stopwords"},
		{"items", a.Pruned.MaxItems.Items, fmt.Sprintf("that are not among the %d of greatest tf·idf", a.MaxItems),
			fmt.Sprintf("--max-items %d", a.MaxItems)},
		{"tokens", a.UnknownTokens, "of items that the vocabulary lacks", "--vocab"},
		{"documents", a.Dropped.NoPair, "with fewer than 2 tokens of these items, which make no pair", ""},
		{"documents", a.Dropped.FewItems, fmt.Sprintf("with fewer than %d distinct items", a.MinItems),
			fmt.Sprintf("--min-items %d", a.MinItems)},
		{"documents", a.Dropped.FewTokens, fmt.Sprintf("with fewer than %d tokens", a.MinTokens),
			fmt.Sprintf("--min-tokens %d", a.MinTokens)},
	}
	return slices.DeleteFunc(all, func(o omission) bool { return o.Count == 0 })
}

// printAccount prints what was read and what was left out. Documents count only after a pass: without one, their number
// is not printed.
func printAccount(w io.Writer, a corpus.Account, skipped []corpus.Skipped) {
	seen := int64(a.Items) + a.Pruned.Total().Items
	printf(w, "Read %d documents with %d items", a.DocumentsRead, seen)
	if a.Documents > 0 {
		printf(w, "; %d documents and %d items count", a.Documents, a.Items)
	} else {
		printf(w, "; %d items are kept", a.Items)
	}
	left := omissions(a, skipped)
	if a.KindBecause != "" {
		defer printf(w, "The documents are taken for %s: %s.\n", a.Kind, a.KindBecause)
	}
	if len(left) == 0 {
		printf(w, ". Nothing was left out%s.\n", limitsFor(a))
		return
	}
	fmt.Fprint(w, ". ")
	unfit := map[string]bool{"shards": true, "entries": true, "rows": true} // no limit is about them
	for at, o := range left {
		switch {
		case at == 0 && unfit[o.What]:
			fmt.Fprint(w, "Left out:\n")
		case at == 0 || unfit[left[at-1].What] && !unfit[o.What]:
			printf(w, "Left out%s:\n", limitsFor(a))
		}
		what, rule := o.What, o.Rule
		if o.Count == 1 {
			what, rule = ones[what], strings.Replace(rule, "that are ", "that is ", 1)
		}
		printf(w, "%12d %s %s", o.Count, what, rule)
		if o.Flag != "" {
			printf(w, " (%s)", o.Flag)
		}
		fmt.Fprintln(w)
	}
}

// ones are the words of an omission for one thing.
var ones = map[string]string{"shards": "shard", "entries": "entry", "rows": "row", "items": "item", "tokens": "token",
	"documents": "document"}

// limitsFor says for what kind of documents the limits were chosen.
func limitsFor(a corpus.Account) string {
	if a.Kind == corpus.AnyKind {
		return ""
	}
	if a.Lowered {
		return fmt.Sprintf(", by limits below those for %s, which would leave next to nothing", a.Kind)
	}
	return fmt.Sprintf(", by the limits for %s", a.Kind)
}

// tellRead prints what was found, before the work on it begins, for a user at a terminal, who sees no log of ordinary
// events.
func (p *program) tellRead(docs *corpus.Corpus) {
	if p.bar == nil || !docs.Copied() {
		return
	}
	p.bar.close()
	a := docs.Account
	fmt.Fprintf(p.stderr, "found %d documents with %d items, of which %d are kept\n", a.DocumentsRead,
		int64(a.Items)+a.Pruned.Total().Items, a.Items)
}

// printVerdict prints whether topics can be relied on: a sentence, and a line for each thing that speaks against them,
// with what to do. It prints nothing of models whose method says nothing.
func printVerdict(w io.Writer, m *model.Model, more ...string) {
	sentence, remedy := m.Verdict()
	if sentence == "" {
		return
	}
	if remedy != "" {
		sentence += ": " + withFlags.Replace(remedy)
	}
	printf(w, "%s\n", sentence)
	for _, doubt := range m.Doubts() {
		line := doubt.Text
		if doubt.Remedy != "" {
			line += ": " + withFlags.Replace(doubt.Remedy)
		}
		more = append(more, line)
	}
	for _, line := range slices.DeleteFunc(more, func(line string) bool { return line == "" }) {
		printf(w, "- %s\n", line)
	}
}

// withFlags adds the flags that do what is advised.
var withFlags = strings.NewReplacer("rare items", "rare items (--min-df)", "frequent items",
	"frequent items (--max-df-ratio)", "numbers of topics", "numbers of topics (choose-k)", "more often",
	"more often (--passes)", "merge them", "merge them (steer)")

// movingStill is the change of the last iteration from which a rectification of a given number of iterations has not
// settled: the threshold of the certificate.
const movingStill = 1e-3

// rectifyWarning says that the rectification did not settle; empty if it did. r may be nil.
func rectifyWarning(r *model.RectifyRecord) string {
	switch {
	case r == nil:
		return ""
	case !r.Unsettled && !r.Converged && r.Iterations > 0 && r.Change > movingStill:
		return fmt.Sprintf("the rectification ended after %d iterations, as asked, and had not settled: the last "+
			"still moved it by %.2g of its length; leave --set enn-iterations out", r.Iterations, r.Change)
	case !r.Unsettled:
		return ""
	}
	line := fmt.Sprintf("the rectification had not settled after %d iterations: the last still moved it by %.2g of its "+
		"length", r.Iterations, r.Change)
	if r.Negative != nil {
		line += fmt.Sprintf(", and negative entries add up to %.2g of the sum of all", r.Negative.Mass)
	}
	return line + "; ask for fewer topics with -k, leave out rare items with --min-df, or give more documents"
}

// refineWarning says that memory lacked for a refinement; empty if it did not.
func refineWarning(m *model.Manifest) string {
	if m.RefineNeeds == 0 {
		return ""
	}
	return "the topics were not refined, and may be several times farther from the truth: raise --memory-limit " +
		"to " + humanize.IBytes(uint64(m.RefineNeeds))
}

// sketchWarning says that a single pass leaves eigenpairs that are rough; empty if they are not.
func sketchWarning(r *model.SketchRecord) string {
	if r.Findings == nil || !r.Findings.Rough {
		return ""
	}
	return fmt.Sprintf("the single pass is rough: what it counted is off by about %.0f%%, so topics may be "+
		"noise; allow more passes (--passes auto), or raise --set sketch-columns or --memory-limit", 100*r.EstimatedError)
}
