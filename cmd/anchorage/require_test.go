package main

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"anchorage/metric"
	"anchorage/model"
)

// Requirements are read as they are documented, and what cannot be met is refused.
func TestParseRequirements(t *testing.T) {
	got, err := parseRequirements("settled, found_again=0.5,residual=3", metric.OfCertificate)
	want := []model.Requirement{{Figure: "settled", Threshold: 1e-3, Most: true},
		{Figure: "found_again", Threshold: 0.5}, {Figure: "residual", Threshold: 3, Most: true}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
	if none, err := parseRequirements("", metric.OfCertificate); none != nil || err != nil {
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
		option := new(model.OptionError)
		if _, err := parseRequirements(text, metric.OfCertificate); !errors.As(err, &option) || option.Option != "Require" ||
			!strings.Contains(option.Reason, reason) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
