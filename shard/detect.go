// This file finds out the format of a file: by its content first and by its name where the content does not tell.

package shard

import (
	"context"
	"errors"
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
	found = detectText(sample)
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

// separatorOf returns what separates the items of a shard of baskets. An error of reading is left for the reader to
// find, who knows the line.
func separatorOf(ctx context.Context, in reading.Shard) string {
	sample, err := text.SampleOf(ctx, in)
	if err != nil {
		return Blanks
	}
	return sample.Separator()
}

// detectBinary returns the format of a file by its first bytes and its size; Auto if they do not decide.
func detectBinary(head []byte, size int64) finding {
	for _, f := range formats {
		if f.begins == nil {
			continue
		}
		if reason := f.begins(head, size); reason != "" {
			return finding{format: f.Format, reason: "content: " + reason}
		}
	}
	return finding{}
}

// detectText returns the format that the beginning of a text suggests; Auto if it suggests none.
func detectText(text *text.Sample) finding {
	for _, f := range formats {
		if f.looks == nil {
			continue
		}
		if reason := f.looks(text); reason != "" {
			return finding{format: f.Format, reason: "content: " + reason}
		}
	}
	return finding{}
}
