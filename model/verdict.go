// This file says in plain words whether the topics of a model can be relied on, for the program, reports and scores.

package model

import (
	"fmt"
	"slices"
	"strings"

	"anchorage/internal/safetext"
)

// halfFound is the share of topics that are found again from which topics are of use. The register of figures has the
// share from which they are good.
const halfFound = 0.5

// compare is what to do about the number of topics. It names no direction: which other number is better, only fits of
// several say.
const compare = "compare numbers of topics"

// Verdict returns one sentence, without its full stop, that says whether the topics can be relied on, and what to do:
// nothing where they are good, and where nothing is known. The sentence is empty for a model without a certificate.
func (m *Model) Verdict() (sentence, remedy string) {
	if m.Manifest.Certificate == nil || m.Manifest.Anchor == nil {
		return "", ""
	}
	c := m.Manifest.Certificate
	k, lost, share := len(c.Errors), c.Lost, c.foundAgain()
	most, _ := c.Reliable()
	doubtful := slices.ContainsFunc(m.doubts(), func(d Doubt) bool { return d.Figure != "" })
	switch {
	case k == 0:
		return "Not checked: how far other documents would change the topics is known of refined topics only", ""
	case most && !doubtful:
		sentence = "Good"
		if r := m.Manifest.Refine; r != nil {
			sentence += " for " + string(r.For)
		}
	case share >= halfFound:
		sentence = "To be used with care"
	default:
		sentence = "Not to be relied on"
	}
	sentence += fmt.Sprintf(": other documents would give %d of %d topics again", k-len(lost), k)
	if figure := c.figure("topic_error"); figure != nil && share >= halfFound {
		sentence += fmt.Sprintf(", %.0f%% the same (%.0f to %.0f%%)", 100-50*figure.Value, 100-50*figure.High,
			100-50*figure.Low)
	}
	if len(lost) > 0 && len(lost) <= mostNamed {
		sentence += fmt.Sprintf("; not %s", m.topicNumbers(lost))
	}
	if !most {
		remedy = compare
	}
	return sentence, remedy
}

// Doubt is what speaks against the topics of a model.
type Doubt struct {
	Figure string // of the certificate; empty for others
	Text   string // a clause
	Topics []int  // that it is about
	Remedy string // what to do, a clause; empty if nothing helps
}

// Doubts returns what speaks against the topics beside the verdict: the figures of the certificate that worry, and
// what was found of several topics. It is nil if nothing does. Where the documents chose the number of topics, no
// remedy is another number.
func (m *Model) Doubts() []Doubt {
	list := m.doubts()
	for at := range list {
		if m.Manifest.Choice != nil {
			remedy, _, _ := strings.Cut(list[at].Remedy, compare)
			list[at].Remedy = strings.TrimSuffix(remedy, ", or ")
		}
	}
	return list
}

func (m *Model) doubts() (list []Doubt) {
	for _, of := range certifiedFigures {
		figure := m.Manifest.Certificate.figure(of.name)
		if figure != nil && figure.Verdict == Worry && of.doubt != "" {
			d := Doubt{Figure: of.name, Text: fmt.Sprintf(of.doubt, 100*figure.Value), Remedy: of.remedy}
			if of.name == "largest_topic" { // its value is what the topic has beyond an equal share
				share := slices.Max(m.Shares)
				d.Topics = []int{slices.Index(m.Shares, share)}
				d.Text = fmt.Sprintf("%s has %.0f%% of all tokens", m.topicNumbers(d.Topics), 100*share)
			}
			list = append(list, d)
		}
	}
	if m.Manifest.Anchor == nil {
		return list
	}
	f := &m.Manifest.Anchor.Findings
	for at, pair := range f.Duplicates {
		if at == mostNamed {
			list = append(list, Doubt{Text: fmt.Sprintf("and so do %d other pairs of topics", len(f.Duplicates)-at)})
			break
		}
		list = append(list, Doubt{Text: m.topicNumbers(pair[:]) + " share half of their prominent items", Topics: pair[:],
			Remedy: "merge them, or " + compare})
	}
	if f.JointAstray {
		list = append(list, Doubt{Text: fmt.Sprintf("the shares of pairs of topics add up to %.2g and not to 1, so that "+
			"their correlations mean nothing", f.JointSum), Remedy: "leave out rare items, or " + compare})
	}
	if n := len(f.Blocks); n > 0 {
		list = append(list, Doubt{Text: fmt.Sprintf("the topics are %d groups that no document has together, one of them "+
			"%s", n, m.topicNumbers(f.Blocks[0])), Topics: f.Blocks[0],
			Remedy: "if the documents are of several kinds, fit each kind by itself"})
	}
	return list
}

// mostNamed is how many topics, or pairs of them, a sentence names.
const mostNamed = 5

// topicNumbers names topics by the numbers that tables show: "topic 3", "topics 3 and 19".
func (m *Model) topicNumbers(topics []int) string {
	if len(topics) == 0 {
		return "no topics"
	}
	var ids []int
	for _, k := range topics {
		ids = append(ids, m.TopicIDs[k])
	}
	slices.Sort(ids)
	var words []string
	for _, id := range ids[:min(len(ids), mostNamed)] {
		words = append(words, fmt.Sprint(id))
	}
	if more := len(ids) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("%d others", more))
	}
	if len(words) == 1 {
		return "topic " + words[0]
	}
	return "topics " + safetext.List(words, "and")
}
