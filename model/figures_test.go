package model

import (
	"math"
	"slices"
	"strings"
	"testing"

	"anchorage/anchor"
	"anchorage/bayes/refine"
	"anchorage/matrix"
	"anchorage/metric"
)

// Every figure of the table can be good and can worry, and NaN worries.
func TestCertifiedFigures(t *testing.T) {
	names := map[string]bool{}
	for _, of := range certifiedFigures {
		if of.name == "" || names[of.name] || (of.doubt == "") != (of.name == "in_both_halves") || (of.remedy == "") !=
			(of.doubt == "") {
			t.Errorf("%q is not complete", of.name)
		}
		names[of.name] = true
		good, bad := of.definition().Good, of.definition().Good*(1-1e-9)
		if of.definition().Better == metric.Low {
			bad = of.definition().Good * (1 + 1e-9)
		}
		if of.judge(good) != Good || of.judge(bad) != Worry || of.judge(math.NaN()) != Worry {
			t.Errorf("%s judges %v, %v, %v", of.name, of.judge(good), of.judge(bad), of.judge(math.NaN()))
		}
	}
}

// A verdict counts the topics that both halves of the documents find, and names the others by their ids.
func TestVerdict(t *testing.T) {
	figure := func(name string, verdict Verdict) *Certificate {
		return &Certificate{Figures: []Figure{{Name: name, Value: 0.5, Verdict: verdict}}}
	}
	good, reading := figure("explained", Good), &RefineRecord{For: refine.ForReading}
	halves := func(found, other int, value int32) []int32 {
		return append(slices.Repeat([]int32{2}, found), slices.Repeat([]int32{value}, other)...)
	}
	for name, test := range map[string]struct {
		c        *Certificate
		thin     []int
		halves   []int32
		refined  *RefineRecord
		choice   *ChoiceRecord
		sentence string
		remedy   string
	}{
		"none": {nil, nil, halves(4, 0, 0), nil, nil, "", ""},
		"good": {good, nil, halves(4, 0, 0), nil, nil, "Good: 4 of 4 topics are found again in other documents", ""},
		"thin": {good, []int{9, 8}, halves(20, 0, 0), reading, nil, "Good for reading: 18 of 20 topics are found again in " +
			"other documents; topics 108 and 109 rest on few documents", ""},
		"more thin": {good, []int{9, 8, 7}, halves(20, 0, 0), reading, nil, "To be used with care: 17 of 20 topics are " +
			"found again in other documents; topics 107, 108 and 109 rest on few documents", compare},
		"chosen": {good, []int{3}, halves(3, 2, 1), reading, new(ChoiceRecord),
			"To be used with care: 3 of 5 topics are found again in other documents; topic 103 rests on few documents", compare},
		"explained": {figure("explained", Worry), nil, halves(4, 0, 0), reading, nil,
			"To be used with care: 4 of 4 topics are found again in other documents", ""},
		"bad": {good, nil, halves(1, 9, 0), reading, nil,
			"Not to be relied on: 1 of 10 topics are found again in other documents", compare},
		"unknown": {good, nil, halves(0, 3, -1), reading, nil,
			"Not checked: the topics were not looked for in other documents", ""},
	} {
		m := &Model{Mixtures: matrix.NewTall(1, len(test.halves)), InHalves: test.halves, Manifest: Manifest{
			Certificate: test.c, Refine: test.refined, Choice: test.choice, Anchor: &AnchorRecord{}}}
		m.Manifest.Anchor.Findings.ThinAnchors = test.thin
		for k := range test.halves {
			m.TopicIDs = append(m.TopicIDs, 100+k)
		}
		if sentence, remedy := m.Verdict(); sentence != test.sentence || remedy != test.remedy {
			t.Errorf("%s: %q, %q; want %q, %q", name, sentence, remedy, test.sentence, test.remedy)
		}
	}
}

// Doubts are figures that worry and findings, and say what to do.
func TestDoubts(t *testing.T) {
	m := &Model{TopicIDs: []int{4, 5, 6, 7}, Shares: []float64{0.1, 0.1, 0.7, 0.1}, Manifest: Manifest{Anchor: &AnchorRecord{Findings: anchor.Findings{
		Duplicates: [][2]int{{0, 3}}, Blocks: [][]int{{0, 2}, {1, 3}}, JointSum: 5.4, JointAstray: true}},
		Certificate: &Certificate{Figures: []Figure{{Name: "explained", Value: 0.9, Verdict: Good},
			{Name: "residual", Value: 0.5, Verdict: Worry}, {Name: "in_both_halves", Value: 0.5, Verdict: Worry},
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
