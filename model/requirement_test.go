package model

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"anchorage/metric"
)

// Requirements are read as they are documented, and what cannot be met is refused.
func TestParseRequirements(t *testing.T) {
	got, err := ParseRequirements("settled, found_again=0.5,residual=3", metric.OfCertificate)
	want := []Requirement{{"settled", 1e-3, true}, {"found_again", 0.5, false}, {"residual", 3, true}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if none, err := ParseRequirements("", metric.OfCertificate); none != nil || err != nil {
		t.Error(none, err)
	}
	for text, reason := range map[string]string{
		"good":                     `there is no figure "good": use found_again, topic_error, residual, settled, negative, largest_topic`,
		"found_again,":             `there is no figure ""`,
		"found_again=":             "give a number",
		"found_again=NaN":          "give a number",
		"found_again=true":         "give a number",
		"residual=Inf":             "give a number",
		"found_again=1.1":          "give a number from 0 to 1",
		"residual=-1":              "give a number from 0",
		"settled,settled=0.1":      "settled is required twice",
		"found_again=0.5 residual": "give a number",
	} {
		option := new(OptionError)
		if _, err := ParseRequirements(text, metric.OfCertificate); !errors.As(err, &option) || option.Option != "Require" ||
			!strings.Contains(option.Reason, reason) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Every figure of the table can be required, is met at its threshold and falls short just beyond it.
func TestRequire(t *testing.T) {
	for _, of := range certifiedFigures {
		required, err := ParseRequirements(of.name, metric.OfCertificate)
		if err != nil {
			t.Fatal(err)
		}
		d := metric.Define(metric.OfCertificate, of.name)
		beyond := d.Good - 1e-9
		if d.Better == metric.Low {
			beyond = d.Good + 1e-9
		}
		for value, short := range map[float64]int{d.Good: 0, beyond: 1} {
			c := &Certificate{Figures: []Figure{{Name: of.name, Value: value, Verdict: of.judge(value)}}}
			err := c.Require(required)
			if e := new(ShortError); errors.As(err, &e) != (short == 1) || short == 1 && (len(e.Short) != 1 ||
				!strings.HasSuffix(e.Short[0], fmt.Sprintf(", and is %g", value))) {
				t.Errorf("%s of %g: %v", of.name, value, err)
			}
		}
	}
}

// What was not measured falls short, whatever its value seems to be.
func TestRequireUnknown(t *testing.T) {
	required, err := ParseRequirements("residual=5,settled", metric.OfCertificate)
	if err != nil {
		t.Fatal(err)
	}
	unknown := &Certificate{Figures: []Figure{{Name: "residual", Verdict: Unknown}, {Name: "settled", Value: 0,
		Verdict: Good}}}
	for name, test := range map[string]struct {
		c    *Certificate
		want string
	}{
		"unknown": {unknown, "residual must be at most 5, and was not measured"},
		"empty": {&Certificate{}, "residual must be at most 5, and was not measured; settled must be at most 0.001, and " +
			"was not measured"},
		"nil": {nil, "residual must be at most 5, and was not measured; settled must be at most 0.001, and was not " +
			"measured"},
	} {
		if got := test.c.Require(required).Error(); got != test.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if err := (*Certificate)(nil).Require(nil); err != nil {
		t.Errorf("nothing is required, and %v", err)
	}
}
