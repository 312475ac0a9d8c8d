// This file prints results on stdout: for people, or as JSON for programs.

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"anchorage/anchor"
	"anchorage/corpus"
	"anchorage/model"
)

func (p *program) addJSON(flags *pflag.FlagSet) {
	flags.BoolVar(&p.json, "json", false, "print the result as JSON")
}

// printJSON prints one JSON value.
func (p *program) printJSON(value any) error { return encodeJSON(p.stdout, value) }

// encodeJSON writes one JSON value for people to read too.
func encodeJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// printVocabulary prints what the vocab command did.
func (p *program) printVocabulary(r corpus.Account, output string) error {
	p.bar.close()
	if p.json {
		return p.printJSON(map[string]any{"output": output, "corpus": r})
	}
	_, err := fmt.Fprintf(p.stdout, "%d items of %d documents in %s; left out %d items: %d in too few documents, %d in too many, %d stop words, %d beyond --max-items\n",
		r.Items, r.DocumentsRead, output, r.Pruned.Total().Items, r.Pruned.MinDF.Items, r.Pruned.MaxDFRatio.Items, r.Pruned.Stopwords.Items, r.Pruned.MaxItems.Items)
	return err
}

// printSketch prints what the sketch and merge commands did.
func (p *program) printSketch(s *model.Sketched, output string) error {
	p.bar.close()
	if p.json {
		return p.printJSON(map[string]any{"output": output, "manifest": s.Manifest})
	}
	r := s.Manifest.Sketch
	how := "measured"
	if r.ResidualEstimated {
		how = "estimated"
	}
	_, err := fmt.Fprintf(p.stdout, "%d eigenpairs of %d items and %d documents after %d passes in %s; largest residual %.2g of the greatest eigenvalue, %s\n",
		r.Topics, s.Vocabulary.Len(), s.Marginals.Documents, r.Passes, output, r.LargestResidual, how)
	return err
}

// printFactor prints what the rectify command did.
func (p *program) printFactor(s *model.Rectified, output string) error {
	p.bar.close()
	if p.json {
		return p.printJSON(map[string]any{"output": output, "manifest": s.Manifest})
	}
	r := s.Manifest.Rectify
	state := "converged"
	if !r.Converged {
		state = "still moving"
	}
	_, err := fmt.Fprintf(p.stdout, "factor of %d items and %d topics in %s; %s after %d iterations, last change %.2g\n",
		s.Vocabulary.Len(), s.Manifest.Sketch.Topics, output, state, r.Iterations, r.Change)
	return err
}

// topicView is a topic as it is printed.
type topicView struct {
	Topic          int      `json:"topic"`
	Share          float64  `json:"share"` // p(topic)
	Anchor         string   `json:"anchor"`
	Prominent      []string `json:"prominent"`
	Characteristic []string `json:"characteristic"`
}

// topicViews returns the topics, the most probable first.
func topicViews(s *model.Fitted, count int) []topicView {
	prominent, characteristic := s.Prominent(), s.Topics.Characteristic(count)
	names := func(list []anchor.Scored) []string {
		out := make([]string, min(count, len(list)))
		for i, scored := range list[:len(out)] {
			out[i] = s.Vocabulary.ID(scored.Item)
		}
		return out
	}
	views := make([]topicView, s.Topics.K)
	for k := range views {
		views[k] = topicView{k, s.Topics.Prior[k], s.Vocabulary.ID(s.Topics.Anchors[k]), names(prominent[k]), names(characteristic[k])}
	}
	slices.SortStableFunc(views, func(a, b topicView) int {
		switch {
		case a.Share > b.Share:
			return -1
		case a.Share < b.Share:
			return 1
		}
		return 0
	})
	return views
}

// printModel prints the topics of a model, and where it lies.
func (p *program) printModel(s *model.Fitted, output string) error {
	p.bar.close()
	const words = 10
	views := topicViews(s, words)
	if p.json {
		return p.printJSON(map[string]any{"output": output, "manifest": s.Manifest, "topics": views})
	}
	c := s.Manifest.Corpus
	fmt.Fprintf(p.stdout, "%d topics of %d items in %d documents. A topic's prominent items are its most %s;\nits characteristic items occur most beside its anchor.\n\n",
		s.Topics.K, s.Vocabulary.Len(), c.Documents, prominence(s.Manifest.Anchor.Relevance))
	printTable(p.stdout, views, p.width())
	if warnings := findingsWarnings(&s.Manifest.Anchor.Findings); len(warnings) > 0 {
		fmt.Fprint(p.stdout, "\nTo be known:\n")
		for _, line := range warnings {
			fmt.Fprintf(p.stdout, "- %s\n", line)
		}
	}
	fmt.Fprintf(p.stdout, "\nThe model is in %s\n", output)
	return p.printPeaks(s.Peaks())
}

// printPeaks prints the memory that a run has taken, if it is known and was modelled.
func (p *program) printPeaks(measured, modelled int64) error {
	if measured == 0 || modelled == 0 {
		return nil
	}
	_, err := fmt.Fprintf(p.stdout, "At the peak the run took %d MiB of memory; %d MiB were reckoned with\n", measured>>20, modelled>>20)
	return err
}

// width returns how many characters a line on stdout has room for.
func (p *program) width() int {
	if file, ok := p.stdout.(*os.File); ok {
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil && columns > 60 {
			return columns
		}
	}
	return 120
}

// prominence says what the prominent items are the most of.
func prominence(relevance float64) string {
	if relevance == 1 {
		return "probable"
	}
	return fmt.Sprintf("relevant, by --relevance %g", relevance)
}

// printTable prints a line per topic, in columns that fill the width.
func printTable(w io.Writer, views []topicView, width int) {
	const anchorWidth = 16
	words := max((width-14-anchorWidth-4)/2, 20)
	fmt.Fprintf(w, "%5s  %5s  %s  %s  %s\n", "topic", "share", pad("anchor", anchorWidth), pad("prominent", words), "characteristic")
	for _, v := range views {
		fmt.Fprintf(w, "%5d  %4.1f%%  %s  %s  %s\n", v.Topic, 100*v.Share, pad(v.Anchor, anchorWidth),
			pad(fitting(v.Prominent, words), words), fitting(v.Characteristic, words))
	}
}

// fitting joins as many words as the width has room for, at least one.
func fitting(words []string, width int) string {
	line := ""
	for _, word := range words {
		next := word
		if line != "" {
			next = line + " " + word
		}
		if utf8.RuneCountInString(next) > width {
			break
		}
		line = next
	}
	if line == "" && len(words) > 0 {
		return pad(words[0], width)
	}
	return line
}

// pad cuts or fills s to a width in characters.
func pad(s string, width int) string {
	if n := utf8.RuneCountInString(s); n <= width {
		return s + strings.Repeat(" ", width-n)
	}
	return string([]rune(s)[:width-1]) + "…"
}
