package model

import (
	"math"
	"slices"
	"strings"
	"testing"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/metric"
	"anchorage/rectify"
)

// Every figure of the table can be good and can worry, and NaN worries.
func TestCertifiedFigures(t *testing.T) {
	names := map[string]bool{}
	for _, of := range certifiedFigures {
		if of.name == "" || names[of.name] || of.measure == nil || (of.remedy == "") != (of.doubt == "") {
			t.Errorf("%q is not complete", of.name)
		}
		names[of.name] = true
		d := metric.Define(metric.OfCertificate, of.name)
		good, bad := d.Good, d.Good*(1-1e-9)
		if d.Better == metric.Low {
			bad = d.Good * (1 + 1e-9)
		}
		if of.judge(good) != Good || of.judge(bad) != Worry || of.judge(math.NaN()) != Worry {
			t.Errorf("%s judges %v, %v, %v", of.name, of.judge(good), of.judge(bad), of.judge(math.NaN()))
		}
	}
}

// A verdict counts the topics that other documents would give again, and names the others by their ids.
func TestVerdict(t *testing.T) {
	reading := &RefineRecord{Course: refine.Course{For: refine.ForReading}}
	errors := func(found, other int, value float64) []float64 {
		return append(slices.Repeat([]float64{0.2}, found), slices.Repeat([]float64{value}, other)...)
	}
	for name, test := range map[string]struct {
		errors   []float64
		alike    [][2]int
		negative float64 // a figure that worries from 0.005
		refined  *RefineRecord
		choice   *ChoiceRecord
		sentence string
		remedy   string
		// what errors of unrelated topics would be; nil for 2
		unrelated []float64
	}{
		"good": {errors(4, 0, 0), nil, 0, nil, nil, "Good: other documents would give 4 of 4 topics again, 90% the same (83 to " +
			"94%)", "", nil},
		"reading": {errors(18, 2, 1.5), nil, 0, reading, nil, "Good for reading: other documents would give 18 of 20 topics " +
			"again, 84% the same (72 to 90%); not topics 118 and 119", "", nil},
		"half": {errors(20, 0, 1), nil, 0, reading, nil, "Good for reading: other documents would give 20 of 20 topics again, " +
			"90% the same (83 to 94%)", "", nil},
		"edge": {errors(3, 1, 1.0001), nil, 0, reading, nil, "To be used with care: other documents would give 3 of 4 topics " +
			"again, 80% the same (66 to 88%); not topic 103", compare, nil},
		"far": {errors(1, 19, 0.9), nil, 0, reading, nil, "To be used with care: other documents would give 20 of 20 topics again, " +
			"57% the same (26 to 74%)", compare, nil},
		"many": {errors(14, 6, 1.5), nil, 0, reading, nil, "To be used with care: other documents would give 14 of 20 topics " +
			"again, 70% the same (50 to 82%)", compare, nil},
		"chosen": {errors(3, 2, 2), nil, 0, reading, new(ChoiceRecord), "To be used with care: other documents would give 3 of " +
			"5 topics again, 54% the same (22 to 72%); not topics 103 and 104", compare, nil},
		"alike": {errors(6, 0, 0), [][2]int{{1, 3}, {3, 4}}, 0, reading, nil, "To be used with care: other documents would " +
			"give 3 of 6 topics again, 90% the same (83 to 94%); not topics 101, 103 and 104", compare, nil},
		"worry": {errors(4, 0, 0), nil, 0.1, reading, nil, "To be used with care: other documents would give 4 of 4 topics " +
			"again, 90% the same (83 to 94%)", "", nil},
		"bad": {errors(1, 4, 2), nil, 0, reading, nil, "Not to be relied on: other documents would give 1 of 5 topics again; " +
			"not topics 101, 102, 103 and 104", compare, nil},
		"noise": {errors(1, 3, 0.5), nil, 0, reading, nil, "Not to be relied on: other documents would give 1 of 4 topics " +
			"again; not topics 101, 102 and 103", compare, []float64{1, 0.5, 0.52, 0.51}},
		"unknown": {nil, nil, 0, reading, nil,
			"Not checked: how far other documents would change the topics is known of refined topics only", "", nil},
	} {
		m := &Model{Manifest: Manifest{Certificate: new(Certificate), Refine: test.refined, Choice: test.choice,
			Anchor: &AnchorRecord{}}}
		if test.unrelated == nil {
			test.unrelated = slices.Repeat([]float64{2}, len(test.errors))
		}
		m.Manifest.Certificate.SetErrors(test.errors, test.unrelated, test.alike)
		m.Manifest.Rectify = &RectifyRecord{Negative: &rectify.Negativity{Mass: test.negative}}
		m.Certify(nil, false)
		for k := range test.errors {
			m.TopicIDs = append(m.TopicIDs, 100+k)
		}
		if sentence, remedy := m.Verdict(); sentence != test.sentence || remedy != test.remedy {
			t.Errorf("%s: %q, %q; want %q, %q", name, sentence, remedy, test.sentence, test.remedy)
		}
	}
	if sentence, _ := (&Model{Manifest: Manifest{Anchor: &AnchorRecord{}}}).Verdict(); sentence != "" {
		t.Errorf("without a certificate: %q", sentence)
	}
}

// Doubts are figures that worry and findings, and say what to do.
func TestDoubts(t *testing.T) {
	m := &Model{TopicIDs: []int{4, 5, 6, 7}, Shares: []float64{0.1, 0.1, 0.7, 0.1}, Manifest: Manifest{Anchor: &AnchorRecord{Findings: anchor.Findings{
		Duplicates: [][2]int{{0, 3}}, Blocks: [][]int{{0, 2}, {1, 3}}, JointSum: 5.4, JointAstray: true}},
		Certificate: &Certificate{Figures: []Figure{{Name: "settled", Verdict: Good},
			{Name: "residual", Value: 0.5, Verdict: Worry}, {Name: "found_again", Value: 0.5, Verdict: Worry},
			{Name: "largest_topic", Value: 0.6, Verdict: Worry},
			{Name: "negative", Verdict: Unknown}, {Name: "later", Verdict: Worry}}}}}
	var lines []string
	for _, d := range m.Doubts() {
		lines = append(lines, d.Text)
		if d.Remedy == "" {
			t.Errorf("%q has no remedy", d.Text)
		}
	}
	want := []string{"what was counted is known only up to 50%", "topic 6 has 70% of all tokens",
		"topics 4 and 7 share half of their prominent items",
		"the shares of pairs of topics add up to 5.4 and not to 1, so that their correlations mean nothing",
		"the topics are 2 groups that no document has together, one of them topics 4 and 6"}
	if !slices.Equal(lines, want) {
		t.Errorf("%q, want %q", lines, want)
	}
	m.Manifest.Choice = new(ChoiceRecord)
	for _, d := range m.Doubts() {
		if strings.Contains(d.Remedy, "topics") {
			t.Errorf("of a number that the documents chose: %q", d.Remedy)
		}
	}
}
