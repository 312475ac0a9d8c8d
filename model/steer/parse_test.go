package steer

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	script,
		err := Parse(strings.NewReader("# a comment\n\n name 3 Heart  disease # more\nseed new \"ice cream\" cone\nban " +
		"anchor \"#tag\"\nban item x\nmerge 1 \"Heart disease\"\nsplit 4\npin 1 2\nremove a b\nname 3 \"\""))
	if err != nil {
		t.Fatal(err)
	}
	want := `name 3 "Heart disease"
seed new "ice cream" cone
ban anchor "#tag"
ban item x
merge 1 "Heart disease"
split 4
pin 1 2
remove a b
name 3 ""
`
	if got := script.String(); got != want {
		t.Errorf("the script is\n%s", got)
	}
	if script[0].Line != 3 || script[8].Line != 11 {
		t.Errorf("the lines are %d and %d", script[0].Line, script[8].Line)
	}
	again, err := Parse(strings.NewReader(want))
	if err != nil || again.String() != want {
		t.Errorf("read back: %v\n%s", err, again)
	}
}

// The mark with which some editors begin a file is no part of the first step.
func TestParseMark(t *testing.T) {
	script, err := Parse(strings.NewReader("\ufeffpin 1\r\nmerge 2 3\r\n"))
	if err != nil || script.String() != "pin 1\nmerge 2 3\n" {
		t.Errorf("read %q: %v", script, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for text, reason := range map[string]string{
		"frob 1": `line 1 of the script, "frob 1": there is no step "frob": there are name, seed, ban, ` +
			`merge, split, pin, remove`,
		"\n\nmerge 1":                        "line 3 of the script, \"merge 1\": write it as: merge TOPIC TOPIC...",
		"split":                              "write it as: split TOPIC",
		"split 1 2":                          "write it as: split TOPIC",
		"seed 1":                             "write it as: seed TOPIC|new ITEM...",
		"ban x y":                            "write it as: ban anchor|item ITEM...",
		"name 1 2":                           "is a number",
		"name 1 new":                         "is the word for a new topic",
		"name 1 \"a\\x00\"":                  "control character",
		"remove \"a":                         "does not end",
		"remove \"a\"b":                      "a space must follow",
		"name 1 " + strings.Repeat("n", 300): "at most 200 characters",
	} {
		_, err := Parse(strings.NewReader(text))
		if failed := (*Error)(nil); !errors.As(err, &failed) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ParseStep(" # nothing"); err == nil {
		t.Error("a comment is no step")
	}
	if step, err := ParseStep("merge 1 2"); err != nil || !slices.Equal(step.Topics, []string{"1", "2"}) {
		t.Errorf("%+v, %v", step, err)
	}
}

// FuzzParse wants every script that can be read to be written in a form that reads back as the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"name 3 Heart disease", "seed new \"ice cream\" a", "ban anchor #x\nban item \"\\xff\"",
		"merge 1 2\nsplit 1", "remove \"#\" \u00a0\u2028x", "name 1 \"\"", "pin \"\""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		script, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		again, err := Parse(strings.NewReader(script.String()))
		if err != nil {
			t.Fatalf("%q is written as %q: %v", text, script.String(), err)
		}
		if again.String() != script.String() || len(again) != len(script) {
			t.Fatalf("%q is written as %q, and that as %q", text, script.String(), again.String())
		}
		for i := range script {
			if a, b := script[i], again[i]; a.Kind != b.Kind || a.Name != b.Name || a.Scope != b.Scope ||
				!slices.Equal(a.Topics, b.Topics) || !slices.Equal(a.Items, b.Items) {
				t.Fatalf("step %d is %+v, and then %+v", i, a, b)
			}
		}
	})
}
