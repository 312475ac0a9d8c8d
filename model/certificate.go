// This file defines the certificate: a few figures that say whether a fit can be relied on, each with the threshold
// from which a reader should worry. It says the same in plain words, for the program, reports and scores, and holds
// the figures against what users require of them.

package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"anchorage/bayes/refine"
	"anchorage/internal/safetext"
	"anchorage/metric"
)

// Verdict is what a figure of a certificate says.
type Verdict string

// The verdicts.
const (
	Good    Verdict = "good"
	Worry   Verdict = "worry"
	Unknown Verdict = "unknown" // the fit did not measure the figure
)

// Certificate says whether a fit can be relied on. docs/accuracy.md says how often it is right.
type Certificate struct {
	Verdict Verdict  `json:"verdict"` // worry if a figure worries, else unknown if one is unknown, else good
	Figures []Figure `json:"figures"`
	// Errors has for each of K topics the predicted distance, from 0 to 2, to the topic that other documents of the same
	// kind would give; see refine.Result. It is absent if it is unknown.
	Errors []float64 `json:"errors,omitempty"`
	// Lost are the topics that other documents would not give again: those with an error above 1, or near that of
	// unrelated topics, and pairs of topics that share half of their prominent items, because nothing tells them apart.
	Lost []int `json:"lost,omitempty"`
}

// Agreement returns 1 − error/2: how much of topic k's probability would be the same by other documents of the same
// kind. It is not known of all models, nor of topics of a nil Certificate.
func (c *Certificate) Agreement(k int) (share float64, known bool) {
	if c == nil || k >= len(c.Errors) {
		return 0, false
	}
	return 1 - c.Errors[k]/2, true
}

// nearUnrelated is the error from which a topic is lost, in parts of that of an unrelated topic.
const nearUnrelated = 0.95

// SetErrors sets the errors of the topics, and those that are lost given what the errors of unrelated topics would be,
// and the pairs that share half of their prominent items.
func (c *Certificate) SetErrors(errors, unrelated []float64, alike [][2]int) {
	c.Errors, c.Lost = errors, nil
	for k, e := range errors {
		paired := slices.ContainsFunc(alike, func(pair [2]int) bool { return k == pair[0] || k == pair[1] })
		if e > 1 || e > nearUnrelated*unrelated[k] || paired {
			c.Lost = append(c.Lost, k)
		}
	}
}

// Reliable reports whether the topics are good by their errors, and the mean of these: NaN if they are unknown.
func (c *Certificate) Reliable() (good bool, topicError float64) {
	return metric.Define(metric.OfCertificate, "found_again").IsGood(c.foundAgain()) &&
		metric.Define(metric.OfCertificate, "topic_error").IsGood(c.topicError()), c.topicError()
}

// foundAgain returns the share of the topics that other documents would give again; NaN if it is unknown.
func (c *Certificate) foundAgain() float64 {
	if c == nil || len(c.Errors) == 0 {
		return math.NaN()
	}
	return 1 - float64(len(c.Lost))/float64(len(c.Errors))
}

// topicError returns the mean of the errors; NaN if they are unknown.
func (c *Certificate) topicError() (mean float64) {
	if c == nil || len(c.Errors) == 0 {
		return math.NaN()
	}
	for _, e := range c.Errors {
		mean += e / float64(len(c.Errors))
	}
	return mean
}

// Figure is a figure of a certificate.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`           // 0 if unknown
	Error float64 `json:"error,omitempty"` // standard error of an estimate
	// Low and High are the ends of the interval that holds the value 90 times of 100; 0 if no interval is known.
	Low       float64 `json:"low,omitempty"`
	High      float64 `json:"high,omitempty"`
	Threshold float64 `json:"threshold"` // the worst value that is good
	Verdict   Verdict `json:"verdict"`
}

// certified is a figure of all certificates.
type certified struct {
	name    string
	doubt   string // what a value that worries says, after a share in percent; "" where the verdict says it
	remedy  string // what to do about it
	refined bool   // a refinement changes it
	// measure finds it, and the standard error of an estimate, given p(topic); it is NaN if it is unknown
	measure func(m *Model, shares []float64) (value, deviation float64)
}

// certifiedFigures are the figures, in their order. Package metric defines them.
var certifiedFigures = []certified{
	{"found_again", "", "", true,
		func(m *Model, _ []float64) (float64, float64) { return m.Manifest.Certificate.foundAgain(), 0 }},
	{"topic_error", "", "", true,
		func(m *Model, _ []float64) (float64, float64) { return m.Manifest.Certificate.topicError(), 0 }},
	{"residual", "what was counted is known only up to %.0f%%", "read the documents more often", false, residual},
	{"settled", "the topics still moved by %.2g%% when the fit ended", "leave out rare items, or " + compare, false,
		func(m *Model, _ []float64) (float64, float64) { // the last change of the rectification
			if r := m.Manifest.Rectify; r != nil && r.Iterations > 0 {
				return r.Change, 0
			}
			return math.NaN(), 0
		}},
	{"negative", "%.2g%% of the counts contradict the topics", "leave out rare items, or " + compare, false,
		func(m *Model, _ []float64) (float64, float64) { // of the rectified matrix, in parts of the sum of all entries
			if r := m.Manifest.Rectify; r != nil && r.Negative != nil {
				return r.Negative.Mass, r.Negative.MassError
			}
			return math.NaN(), 0
		}},
	{"largest_topic", "%.0f%% of all tokens", "leave out frequent items, or " + compare, true, largestTopic},
}

// residual returns the greatest residual of an eigenpair, relative to its eigenvalue.
func residual(m *Model, _ []float64) (worst, _ float64) {
	if len(m.Eigen.Residuals) == 0 {
		return math.NaN(), 0
	}
	for k, residual := range m.Eigen.Residuals {
		worst = max(worst, residual*m.Eigen.Values[0]/m.Eigen.Values[k])
	}
	return worst, 0
}

// largestTopic returns the greatest share of a topic beyond 1/K: 0 if all are equal, 1 if one has all tokens.
func largestTopic(_ *Model, shares []float64) (share, _ float64) {
	if len(shares) < 2 {
		return math.NaN(), 0
	}
	equal := 1 / float64(len(shares))
	return (slices.Max(shares) - equal) / (1 - equal), 0
}

// Certify sets the figures of the certificate, given p(topic); with refined only those that a refinement changes. The
// others then say how far the topics that it started from can be relied on.
func (m *Model) Certify(shares []float64, refined bool) {
	c := m.Manifest.Certificate
	figures := make([]Figure, len(certifiedFigures))
	copy(figures, c.Figures)
	for i, of := range certifiedFigures {
		if refined && !of.refined {
			continue
		}
		value, deviation := of.measure(m, shares)
		f := Figure{Name: of.name, Threshold: metric.Define(metric.OfCertificate, of.name).Good, Verdict: Unknown}
		if known := value + deviation; !math.IsNaN(known) && !math.IsInf(known, 0) {
			f.Value, f.Error, f.Verdict = value, deviation, of.judge(value)
			if of.name == "topic_error" {
				f.Low, f.High = refine.LeastError*value, min(refine.MostError*value, 2)
			}
		}
		figures[i] = f
	}
	c.Figures, c.Verdict = figures, Good
	for _, figure := range c.Figures {
		if c.Verdict != Worry && figure.Verdict != Good {
			c.Verdict = figure.Verdict
		}
	}
}

// judge returns what a value says.
func (c *certified) judge(value float64) Verdict {
	if metric.Define(metric.OfCertificate, c.name).IsGood(value) {
		return Good
	}
	return Worry
}

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
	doubtful := slices.ContainsFunc(m.Doubts(), func(d Doubt) bool { return d.Figure != "" })
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
func (m *Model) Doubts() (list []Doubt) {
	add := func(d Doubt) {
		if m.Manifest.Choice != nil {
			remedy, _, _ := strings.Cut(d.Remedy, compare)
			d.Remedy = strings.TrimSuffix(remedy, ", or ")
		}
		list = append(list, d)
	}
	for _, of := range certifiedFigures {
		figure := m.Manifest.Certificate.figure(of.name)
		if figure != nil && figure.Verdict == Worry && of.doubt != "" {
			d := Doubt{Figure: of.name, Text: fmt.Sprintf(of.doubt, 100*figure.Value), Remedy: of.remedy}
			if of.name == "largest_topic" { // its value is what the topic has beyond an equal share
				share := slices.Max(m.Shares)
				d.Topics = []int{slices.Index(m.Shares, share)}
				d.Text = fmt.Sprintf("%s has %.0f%% of all tokens", m.topicNumbers(d.Topics), 100*share)
			}
			add(d)
		}
	}
	if m.Manifest.Anchor == nil {
		return list
	}
	f := &m.Manifest.Anchor.Findings
	for at, pair := range f.Duplicates {
		if at == mostNamed {
			add(Doubt{Text: fmt.Sprintf("and so do %d other pairs of topics", len(f.Duplicates)-at)})
			break
		}
		add(Doubt{Text: m.topicNumbers(pair[:]) + " share half of their prominent items", Topics: pair[:],
			Remedy: "merge them, or " + compare})
	}
	if f.JointAstray {
		add(Doubt{Text: fmt.Sprintf("the shares of pairs of topics add up to %.2g and not to 1, so that "+
			"their correlations mean nothing", f.JointSum), Remedy: "leave out rare items, or " + compare})
	}
	if n := len(f.Blocks); n > 0 {
		add(Doubt{Text: fmt.Sprintf("the topics are %d groups that no document has together, one of them "+
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

// Requirement is what a figure of a certificate, or of new shards, must reach.
type Requirement struct {
	Figure    string  // the name of the figure
	Threshold float64 // the worst value that is enough
	Most      bool    // Threshold is the greatest value that is enough; otherwise it is the least
}

// String says what is required.
func (r Requirement) String() string {
	if r.Most {
		return fmt.Sprintf("%s must be at most %g", r.Figure, r.Threshold)
	}
	return fmt.Sprintf("%s must be at least %g", r.Figure, r.Threshold)
}

// ShortError says in a sentence each which requirements a certificate does not meet.
type ShortError struct{ Short []string }

// Error joins the sentences.
func (e *ShortError) Error() string { return strings.Join(e.Short, "; ") }

// Require returns a *ShortError unless the certificate meets all requirements. A figure that was not measured falls
// short, and so does every figure of a nil certificate, which models of variational inference have.
func (c *Certificate) Require(requirements []Requirement) error {
	var short []string
	for _, r := range requirements {
		figure := c.figure(r.Figure)
		switch {
		case figure == nil || figure.Verdict == Unknown:
			short = append(short, r.String()+", and was not measured")
		case r.Most && !(figure.Value <= r.Threshold) || !r.Most && !(figure.Value >= r.Threshold):
			short = append(short, fmt.Sprintf("%s, and is %g", r, figure.Value))
		}
	}
	if short == nil {
		return nil
	}
	return &ShortError{short}
}

// figure returns the figure of a name; nil if the certificate does not have it.
func (c *Certificate) figure(name string) *Figure {
	if c != nil {
		for i := range c.Figures {
			if c.Figures[i].Name == name {
				return &c.Figures[i]
			}
		}
	}
	return nil
}
