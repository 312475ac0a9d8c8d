// This file holds the flag -k, which takes a number of topics or, for fit, auto.

package main

import (
	"context"
	"errors"
	"io"
	"strconv"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/model/choose"
	"anchorage/model/fit"
)

// topicsAuto is the value of -k that lets a fit choose the number.
const topicsAuto = "auto"

// topicCount is the value of -k: a number, 0 if it was not given, or auto.
type topicCount struct {
	number int
	auto   bool
}

// Set implements pflag.Value.
func (c *topicCount) Set(text string) error {
	if text == topicsAuto {
		*c = topicCount{auto: true}
		return nil
	}
	n, err := strconv.ParseInt(text, 0, 32)
	if err != nil {
		return err
	}
	*c = topicCount{number: int(n)}
	return nil
}

// String implements pflag.Value.
func (c *topicCount) String() string {
	if c.auto {
		return topicsAuto
	}
	return strconv.Itoa(c.number)
}

// Type implements pflag.Value.
func (c *topicCount) Type() string { return "int" }

// need checks that -k was given.
func (c *topicCount) need() error {
	if c.number == 0 && !c.auto {
		return &usageError{errors.New("the number of topics is missing: give it with -k")}
	}
	return nil
}

// autoFrom is the least number of topics that a fit chooses.
const autoFrom = leastTopics

// chosen sets the number of topics to that which the documents show, if -k is auto.
func (c *topicCount) chosen(ctx context.Context, p *program, docs *corpus.Corpus, options *fit.Options) error {
	if !c.auto {
		return nil
	}
	count, err := choose.Spectrum(ctx, docs, choose.Options{From: autoFrom, To: choose.DefaultTo, Model: *options})
	if err != nil {
		return err
	}
	options.Topics, options.Choice = count.Topics, &count.ChoiceRecord
	p.log.Info("number of topics chosen", "topics", count.Topics, "low", count.Low, "high", count.High, "open", count.Open, "reason", count.Reason)
	return options.Check()
}

// printChosen says of a model why it has as many topics; nothing if the number was given.
func printChosen(w io.Writer, m *model.Manifest) {
	if m.Choice != nil {
		printf(w, "\nThe number of topics was chosen: %s", (&choose.Count{ChoiceRecord: *m.Choice}).Sentence())
	}
}
