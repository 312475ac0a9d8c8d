package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintTable(t *testing.T) {
	var out bytes.Buffer
	printTable(&out, []topicView{
		{Topic: 3, Share: 0.125, Anchor: "a-very-long-anchor-name", Prominent: []string{"große", "wörter", "überall"}, Characteristic: []string{"x"}},
		{Topic: 0, Share: 0.01, Anchor: "kurz", Prominent: []string{strings.Repeat("w", 200)}, Characteristic: nil},
	}, 80)
	want := "" +
		"topic  share  anchor            prominent                characteristic\n" +
		"    3  12.5%  a-very-long-anc…  große wörter überall     x\n" +
		"    0   1.0%  kurz              wwwwwwwwwwwwwwwwwwwwww…  \n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestPad(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"", 0, ""},
		{"", 3, "   "},
		{"ab", 3, "ab "},
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"größe", 5, "größe"},
		{"größer", 5, "größ…"},
		{"主題模型", 6, "主題模型  "},
		{"主題模型", 2, "主…"},
		{"ab", 1, "…"},
	} {
		if got := pad(test.text, test.width); got != test.want {
			t.Errorf("pad(%q, %d) is %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestFitting(t *testing.T) {
	for _, test := range []struct {
		words []string
		width int
		want  string
	}{
		{nil, 5, ""},
		{[]string{"ab"}, 5, "ab"},
		{[]string{"ab", "cd"}, 5, "ab cd"},
		{[]string{"ab", "cde"}, 5, "ab"},
		{[]string{"ab", "cde", "f"}, 5, "ab"}, // the order is that of the words: no later word fills the gap
		{[]string{"abcdef", "g"}, 5, "abcd…"},
		{[]string{"äöü", "ß"}, 5, "äöü ß"},
		{[]string{"主題", "模型"}, 5, "主題 模型"},
	} {
		if got := fitting(test.words, test.width); got != test.want {
			t.Errorf("fitting(%q, %d) is %q, want %q", test.words, test.width, got, test.want)
		}
	}
}

// TestTableWidths wants no line longer than the width, and columns that begin at the same place, whatever the words.
func TestTableWidths(t *testing.T) {
	long := strings.Repeat("語", 90)
	views := []topicView{
		{Topic: 11, Share: 0.99, Anchor: long, Prominent: []string{long}, Characteristic: []string{"a", long}},
		{Topic: 2, Share: 0.004, Anchor: "é", Prominent: strings.Fields(strings.Repeat("wort ", 40)), Characteristic: []string{long}},
		{Topic: 3, Anchor: "", Prominent: nil, Characteristic: []string{"x"}},
	}
	for _, width := range []int{74, 75, 80, 120, 301} {
		var out bytes.Buffer
		printTable(&out, views, width)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) != len(views)+1 {
			t.Fatalf("%d lines:\n%s", len(lines), out.String())
		}
		column := strings.Index(lines[0], "characteristic")
		for i, line := range lines {
			runes := []rune(line)
			if len(runes) > width {
				t.Errorf("width %d: line %d has %d characters", width, i, len(runes))
			}
			if string(runes[column-2:column]) != "  " || i > 0 && runes[column] == ' ' {
				t.Errorf("width %d: the last column of line %d does not begin at %d: %q", width, i, column, line)
			}
		}
	}
}

func TestBayesTable(t *testing.T) {
	views := []bayesTopic{{7, 0.5, []string{"alpha", "beta", "gamma", "delta"}}, {10, 0.0449, nil}}
	for width, words := range map[int]string{0: "alpha beta gamma", 40: "alpha beta gamma delta", 37: "alpha beta gamma"} {
		var out bytes.Buffer
		printBayesTable(&out, views, width)
		want := fmt.Sprintf("topic  share  prominent\n    7  50.0%%  %s\n   10   4.5%%  \n", words)
		if out.String() != want {
			t.Errorf("width %d: got\n%swant\n%s", width, out.String(), want)
		}
	}
}

// TestWidth wants 120 characters where stdout is no terminal.
func TestWidth(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, p := range []*program{{stdout: &bytes.Buffer{}}, {stdout: file}} {
		if got := p.width(); got != 120 {
			t.Errorf("%T: %d", p.stdout, got)
		}
	}
	if n := utf8.RuneCountInString(pad("x", 120)); n != 120 {
		t.Errorf("%d characters", n)
	}
}
