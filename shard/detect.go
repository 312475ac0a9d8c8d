// This file finds out the format of a file: by its content first and by its name where the content does not tell.

package shard

import (
	"context"
	"strings"

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

// detect returns the format of a file.
func detect(ctx context.Context, in reading.Shard) (found finding, err error) {
	if found, err = detectBinary(ctx, in.Object); found.format != Auto || err != nil {
		return found, err
	}
	promised, by := formatOfName(access.UncompressedName(strings.ToLower(in.Name())))
	if promised != nil && promised.decides {
		return finding{format: promised.Format, reason: "name: " + by}, nil
	}
	sample, err := text.SampleOf(ctx, in)
	if err != nil {
		return found, err
	}
	found = detectText(sample)
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

// separatorOf returns what separates the items of a shard of baskets. An error of reading is left for the reader to
// find, who knows the line.
func separatorOf(ctx context.Context, in reading.Shard) string {
	sample, err := text.SampleOf(ctx, in)
	if err != nil {
		return Blanks
	}
	return sample.Separator()
}

// detectBinary returns the format of a file by its first bytes; Auto if they do not decide.
func detectBinary(ctx context.Context, o access.Object) (found finding, err error) {
	head, err := o.Head(ctx, 8)
	if err != nil {
		return found, err
	}
	for _, f := range formats {
		if f.begins == nil {
			continue
		}
		if reason := f.begins(head, o.Size); reason != "" {
			return finding{format: f.Format, reason: "content: " + reason}, nil
		}
	}
	return found, nil
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
