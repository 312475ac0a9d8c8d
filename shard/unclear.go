// This file questions texts that may be meant in several ways, and lets baskets agree on what separates their items.

package shard

import "fmt"

// manyFiles is the number of texts from which on each may be a document.
const manyFiles = 20

// UnclearError is the cause of an *Error about texts that do not show whether a document is a file or a line, or
// whether lines are cut into words. Options.Format decides.
type UnclearError struct {
	Files int // how many small texts there are; 0 if the question is about the lines of one
}

// Error says what was found.
func (e *UnclearError) Error() string {
	if e.Files > 0 {
		return fmt.Sprintf("this and %d more files are short texts: is a document a file, or a line of one?", e.Files-1)
	}
	return "the lines look like sentences, not like lists of items: is a document a file or a line, and is it cut into " +
		"words?"
}

// question returns an error if the texts among the shards may be meant in several ways. They are what no format speaks
// for. Half of many being short, or prose, could be documents; a single one whose lines would be baskets must not be
// prose.
func (d *discovery) question() error {
	texts, short := 0, 0
	var first, prose string
	for i, found := range d.found {
		if !found.text {
			continue
		}
		if texts++; texts == 1 {
			first = d.shards[i].Path
		}
		if found.fewLines || found.prose {
			short++
		}
		if prose == "" && found.prose && found.format == Baskets && !d.options.Tokenize {
			prose = d.shards[i].Path
		}
	}
	switch {
	case texts >= manyFiles && 2*short >= texts:
		return &Error{Path: first, Err: &UnclearError{Files: texts}}
	case prose != "":
		return &Error{Path: prose, Err: new(UnclearError)}
	}
	return nil
}

// agree sets what separates the items of baskets, unless the options do. Shards whose lines do not tell, such as those
// of single items, are like the first that does.
func (d *discovery) agree() {
	if d.options.Separator != "" {
		return
	}
	common := Blanks
	for i, found := range d.found {
		if d.shards[i].Format == Baskets && found.separator != "" && found.separator != Blanks {
			common = found.separator
			break
		}
	}
	for i := range d.shards {
		if d.shards[i].Format != Baskets {
			continue
		}
		if d.shards[i].between = d.found[i].separator; d.shards[i].between == "" {
			d.shards[i].between = common
		}
	}
}
