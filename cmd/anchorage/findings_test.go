package main

import (
	"strings"
	"testing"

	"anchorage/anchor"
)

func TestFindingsWarnings(t *testing.T) {
	for _, test := range []struct {
		name     string
		findings anchor.Findings
		want     []string // what each line must hold
	}{
		{"nothing", anchor.Findings{NoisyItems: 9, NoisyMass: 0.049}, nil},
		{"thin", anchor.Findings{ThinAnchors: []int{1}}, []string{"topics that rest on thin evidence: 1 ([1])"}},
		{"many", anchor.Findings{ThinAnchors: []int{1, 2, 3, 4, 5, 6}}, []string{"evidence: 6 ([1 2 3 4 5 …])"}},
		{"noise and blocks", anchor.Findings{NoisyItems: 3, NoisyMass: 0.075, Blocks: [][]int{{0, 2}, {1}}},
			[]string{"3 items, 8% of all weight", "fall into 2 blocks that never occur together, the first of them [0 2]"}},
		{"duplicates", anchor.Findings{Duplicates: [][2]int{{0, 3}}}, []string{"prominent items: 1 ([[0 3]])"}},
	} {
		lines := findingsWarnings(&test.findings)
		if len(lines) != len(test.want) {
			t.Errorf("%s: %d lines, want %d:\n%s", test.name, len(lines), len(test.want), strings.Join(lines, "\n"))
			continue
		}
		for i, line := range lines {
			if !strings.Contains(line, test.want[i]) {
				t.Errorf("%s: line %q lacks %q", test.name, line, test.want[i])
			}
		}
	}
}
