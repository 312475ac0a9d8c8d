// This file holds the flags about what a model gets beside its topics: a report, diagnostics, examples, and the topics
// of its documents.

package main

import (
	"errors"

	"anchorage/model/fit"
)

// extraFlags say what a model gets beside its topics.
type extraFlags struct {
	fit.Extras  // those that flags set
	noReport    bool
	diagnostics bool
}

// documentRows are about the topics of the documents that a model is learned from.
func (f *extraFlags) documentRows() []row {
	return []row{
		outputGroup.more("documents", &f.Documents, boolean,
			"also write the topics of all documents into the model, as transform does"),
		timeRow(&f.TimeColumn),
		outputGroup.more("no-fold-in", &f.NoFoldIn, boolean, "find no topics of items too frequent or rare to shape some; "+
			"keep their names and counts"),
	}
}

// reportRows are about the report and what it shows.
func (f *extraFlags) reportRows() []row {
	return []row{
		f.noReportRow(),
		outputGroup.more("no-certificate", &f.NoCertificate, boolean,
			"do not find out how far other documents would change the topics: four passes fewer"),
		expert("diagnostics", &f.diagnostics, boolean, "compute diagnostics of topics even with --no-report or --passes 1"),
		outputGroup.more("examples", &f.Examples, choice(word{"none", "none", fit.NoExamples}, word{"places",
			"the shard and the number of each", fit.ExamplePlaces}, word{"ids", "their ids", fit.Examples("")}, word{"texts",
			"their ids and how they begin", fit.ExampleTexts}),
			"what the model shows of the documents that have most of each topic").by("ids"),
	}
}

// noReportRow is the flag that leaves the report out.
func (f *extraFlags) noReportRow() row {
	return outputGroup.flag("no-report", &f.noReport, boolean,
		"write no report.html into the model, and compute no diagnostics for it")
}

// check checks the flags.
func (f *extraFlags) check() error {
	if f.TimeColumn != "" && !f.Documents {
		return &usageError{errors.New("--time-column is for --documents: give both, or neither")}
	}
	return nil
}

// extras returns all that the flags ask for.
func (f *extraFlags) extras() fit.Extras {
	e := f.Extras
	e.Diagnose, e.Report = !f.noReport || f.diagnostics, !f.noReport
	return e
}
