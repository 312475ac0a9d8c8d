// This file shows what was read, and how far the fit can be relied on.

package report

import (
	"cmp"
	"fmt"
	"html/template"
	"strings"

	"anchorage/internal/page"
	"anchorage/model"
)

// fact is a line of a list of facts.
type fact struct{ Name, Value string }

func (r *report) read() (template.HTML, error) {
	data := struct {
		Facts           []fact
		Inputs, Skipped page.Table
		Summary         string
	}{Facts: append(r.leftOut(), r.learned()...)}
	inputs := r.m.Manifest.Inputs
	data.Inputs = page.Table{Caption: "Shards", Columns: columns("Shard", "#Documents", "#Bytes")}
	for _, input := range inputs[:min(len(inputs), r.detail.inputs)] {
		data.Inputs.Add(page.Named(input.Path), page.Whole(input.Documents), page.Whole(input.Size))
	}
	data.Summary = fmt.Sprintf("%s %s", page.Count(int64(len(inputs))), plural(len(inputs), "shard", "shards"))
	if more := len(inputs) - len(data.Inputs.Rows); more > 0 {
		data.Inputs.Caption = fmt.Sprintf("The first %d of %s shards; the manifest has all", len(data.Inputs.Rows),
			page.Count(int64(len(inputs))))
	}
	skipped := r.m.Manifest.Skipped
	data.Skipped = page.Table{Caption: "Shards that were left out", Columns: columns("Shard", "Reason")}
	for _, s := range skipped[:min(len(skipped), r.detail.inputs)] {
		data.Skipped.Add(page.Named(s.Path), page.Cell{Text: page.Cut(s.Reason, 200), Data: true})
	}
	return page.Render(templates.Lookup("read"), data), nil
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// leftOut says what was read and what was left out.
func (r *report) leftOut() []fact {
	c := &r.m.Manifest.Corpus
	facts := []fact{{"Documents read", page.Count(c.DocumentsRead)}, {"Tokens read", page.Count(c.Tokens)}}
	add := func(name, format string, n int64, more ...any) {
		if n > 0 {
			facts = append(facts, fact{name, fmt.Sprintf(format, append([]any{page.Count(n)}, more...)...)})
		}
	}
	add("Documents left out", "%s with fewer than 2 tokens", c.Dropped.NoPair)
	add("Documents left out", "%s with fewer than %d distinct items", c.Dropped.FewItems, c.MinItems)
	add("Documents left out", "%s with fewer than %d tokens", c.Dropped.FewTokens, c.MinTokens)
	add("Items left out", "%s in fewer than %d documents (%s tokens)", int64(c.Pruned.MinDF.Items), c.MinDF,
		page.Count(c.Pruned.MinDF.Tokens))
	add("Items left out", "%s in more than %s of the documents (%s tokens)", int64(c.Pruned.MaxDFRatio.Items),
		page.Share(c.MaxDFRatio), page.Count(c.Pruned.MaxDFRatio.Tokens))
	add("Items left out", "%s stop words (%s tokens)", int64(c.Pruned.Stopwords.Items),
		page.Count(c.Pruned.Stopwords.Tokens))
	add("Items left out", "%s beyond the %s most frequent (%s tokens)", int64(c.Pruned.MaxItems.Items),
		page.Count(int64(c.MaxItems)), page.Count(c.Pruned.MaxItems.Tokens))
	add("Unknown tokens", "%s of items that the given vocabulary lacks", c.UnknownTokens)
	add("Amounts left out", "%s below 0", c.LeftOut.Negative)
	add("Amounts left out", "%s of 0", c.LeftOut.Zero)
	add("Amounts left out", "%s empty", c.LeftOut.Empty)
	add("Rows left out", "%s that cannot be read", c.LeftOut.Bad)
	add("Shards left out", "%s", int64(len(r.m.Manifest.Skipped)))
	if len(facts) == 2 {
		facts = append(facts, fact{"Left out", "nothing"})
	}
	return facts
}

// learned says how the topics were found.
func (r *report) learned() (facts []fact) {
	manifest := &r.m.Manifest
	if b := manifest.Bayes; b != nil {
		return []fact{{"Learned by", "variational inference: " + string(b.Model)}, {"Seed", fmt.Sprint(manifest.Sketch.Seed)}}
	}
	add := func(name, format string, values ...any) {
		facts = append(facts, fact{name, fmt.Sprintf(format, values...)})
	}
	add("Seed", "%d", manifest.Sketch.Seed)
	add("Passes for the sketch", "%d", manifest.Sketch.Passes)
	if w := manifest.Sketch.ItemWeights; w != "" {
		add("Item weights", "%s", w)
	}
	if s := manifest.Start; s != nil {
		add("Started from", "an earlier model with %s items in common", page.Count(int64(s.Items)))
	}
	if f := manifest.Refine; f != nil {
		add("Refined", "for %s, in %d passes over the documents", f.For, f.AllPasses())
	} else {
		add("Refined", "no")
	}
	if c := manifest.Choice; c != nil {
		add("Number of topics", "chosen: %s", c.Reason)
	}
	if s := manifest.Steer; s != nil {
		steps := strings.Split(strings.TrimSpace(s.Script), "\n")
		add("Changed by hand", "in %d %s, to which the certificate does not refer: %s", len(steps),
			plural(len(steps), "step", "steps"), page.Cut(strings.Join(steps, "; "), longestScript))
	}
	if d := manifest.Diagnostics; d != nil && d.Documents > 0 {
		add("Diagnosed", "coherence in %s documents, the topics of %s", page.Count(d.Documents), page.Count(d.Sampled))
	}
	return facts
}

// longestScript is how many characters of the steps a page shows.
const longestScript = 1000

// verdict says whether the topics can be relied on, and what to do; empty for models that do not say it.
func (r *report) verdict() string {
	sentence, remedy := r.m.Verdict()
	if remedy != "" {
		sentence += ": " + remedy
	}
	return sentence
}

// verdictNames are how a page calls verdicts. They do not depend on colour.
var verdictNames = map[model.Verdict]string{model.Good: "✓ good", model.Worry: "! worry"}

func (r *report) certificate() (template.HTML, error) {
	c := r.m.Manifest.Certificate
	if c == nil {
		return "", nil
	}
	data := struct {
		Doubts  []model.Doubt
		Thin    []page.Cell
		Figures page.Table
	}{Doubts: r.m.Doubts()}
	if a := r.m.Manifest.Anchor; a != nil {
		for _, k := range a.Findings.ThinAnchors[:min(len(a.Findings.ThinAnchors), mostThin)] {
			data.Thin = append(data.Thin, r.topicCell(k))
		}
	}
	data.Figures = page.Table{Caption: "Figures of the certificate",
		Columns: columns("Figure", "#Value", "#Standard error", "#Worst good value", "Verdict")}
	for _, f := range c.Figures {
		data.Figures.Add(page.Text(f.Name), page.Value(f.Value), page.Value(f.Error), page.Value(f.Threshold),
			page.Text(cmp.Or(verdictNames[f.Verdict], "? unknown")))
	}
	return page.Render(templates.Lookup("certificate"), data), nil
}

// mostThin is how many topics on few documents the page leads to.
const mostThin = 30
