// This file finds out the format of a file: by its content first and by its name where the content does not tell. It
// questions texts that may be meant in several ways.

package shard

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/text"
)

// finding is what the beginning of a file shows.
type finding struct {
	format Format
	reason string // whether its content or its name decided, and what in it
	// What a text that no format speaks for looks like; see text.Sample.
	text, fewLines, prose bool
	separator             string // of baskets
}

// headBytes is how much of a file's beginning tells binary formats, spreadsheets among them.
const headBytes = 64

// detect returns the format of a file.
func detect(ctx context.Context, in reading.Shard) (found finding, err error) {
	head, err := in.Head(ctx, headBytes)
	switch {
	case err != nil:
		return found, err
	case isSpreadsheet(strings.ToLower(in.Name()), string(head)):
		return found, fault.InFile(in.Path, errSpreadsheet)
	}
	if found = detectBinary(head, in.Size); found.format != Auto {
		return found, nil
	}
	promised, by := formatOfName(access.UncompressedName(strings.ToLower(in.Name())))
	if promised != nil && promised.decides {
		return finding{format: promised.Format, reason: "name: " + by}, nil
	}
	sample, err := text.SampleOf(ctx, in)
	if err != nil {
		return found, err
	}
	if promised != nil && promised.Format == CSV && in.Tokenize {
		return finding{format: CSV, reason: "name: " + by}, nil
	}
	if sample.HasZeros() {
		return found, fault.InFile(in.Path, fault.Because(fault.Encoding,
			"every second byte is 0: it looks like utf-16le or utf-16be without a byte order mark"))
	}
	found = firstShown(func(f *format) string {
		if f.looks == nil {
			return ""
		}
		return f.looks(sample)
	})
	if found.format == Auto && promised != nil && promised.Format == CSV {
		if reason := text.LooksRagged(sample); reason != "" {
			return finding{format: Baskets, reason: "content: " + reason, separator: sample.Separator()}, nil
		}
	}
	switch {
	case found.format == Auto && promised != nil && !promised.anyText:
		return finding{format: promised.Format, reason: "name: " + by}, nil
	case found.format == Auto:
		found = finding{format: Baskets, reason: "content: lines of text, and nothing that speaks for another format"}
	case found.format != Text:
		return found, nil
	}
	found.text, found.fewLines, found.prose = true, sample.FewLines(), sample.IsProse()
	found.separator = sample.Separator()
	return found, nil
}

// errSpreadsheet says that a file is no text.
var errSpreadsheet = errors.New("it is a spreadsheet, which cannot be read: save the sheet as CSV")

// isSpreadsheet reports whether a file of this name and beginning is a workbook of Excel or of Open Document.
func isSpreadsheet(name, head string) bool {
	if strings.HasPrefix(head, "\xd0\xcf\x11\xe0") { // what Excel wrote before 2007
		return true
	}
	return strings.HasPrefix(head, "PK\x03\x04") && (strings.HasSuffix(name, ".xlsx") || strings.HasSuffix(name, ".ods") ||
		strings.Contains(head, "[Content_Types].xml") || strings.Contains(head, "opendocument.spreadsheet"))
}

// detectBinary returns the format of a file by its first bytes and its size; Auto if they do not decide.
func detectBinary(head []byte, size int64) finding {
	return firstShown(func(f *format) string {
		if f.begins == nil {
			return ""
		}
		return f.begins(head, size)
	})
}

// firstShown returns the first format of which content shows something; Auto without one.
func firstShown(shows func(f *format) string) finding {
	for i := range formats {
		if reason := shows(&formats[i]); reason != "" {
			return finding{format: formats[i].Format, reason: "content: " + reason}
		}
	}
	return finding{}
}

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
