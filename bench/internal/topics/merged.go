// This file fits a model to the sum of sketches of parts of the documents.

package topics

import (
	"context"
	"fmt"
	"path/filepath"

	"anchorage/corpus"
	"anchorage/model"
)

// merged sketches every part of the documents by itself, in a single pass, merges the sketches and goes on from the sum.
func (o *order) merged(ctx context.Context, docs *corpus.Corpus, parts int, options model.Options) (*model.Fitted, error) {
	merger := model.NewMerger(options.Run)
	for part := range parts {
		path := filepath.Join(o.Scratch, fmt.Sprintf("sketch-%d", part))
		if err := o.sketchPart(ctx, docs, part, parts, options, path); err != nil {
			return nil, err
		}
		if err := merger.Add(ctx, path); err != nil {
			return nil, err
		}
	}
	sketched, err := merger.Sketched(ctx, options)
	if err != nil {
		return nil, err
	}
	rectified, err := sketched.Rectify(ctx, options)
	if err != nil {
		return nil, err
	}
	return rectified.Anchor(ctx, options)
}

// sketchPart saves the mergeable sketch of one part at path. Its time counts as that of the run.
func (o *order) sketchPart(ctx context.Context, docs *corpus.Corpus, part, parts int, options model.Options, path string) error {
	defer options.Run.Stage(fmt.Sprintf("sketch part %d", part))()
	of, err := corpus.Open(ctx, partOf(docs, part, parts), corpus.Options{Vocabulary: docs.Vocabulary, MinItems: minItems, MinTokens: minTokens,
		Passes: 1, Workers: o.Workers})
	if err != nil {
		return err
	}
	defer of.Close()
	out, err := model.Create(ctx, path, nil)
	if err != nil {
		return err
	}
	defer out.Abort()
	options.Run = &model.Run{Workers: o.Workers}
	options.Sketch.Mergeable = out
	sketched, err := model.Sketch(ctx, of, options)
	if err != nil {
		return err
	}
	return sketched.SaveTo(out)
}

// partOf reads every so many-th of the documents that count.
func partOf(docs *corpus.Corpus, part, parts int) corpus.Reading {
	return func(ctx context.Context, _ corpus.ReadingOptions, fn func(*corpus.Documents) error) (*corpus.Intake, error) {
		intake := &corpus.Intake{Vocabulary: docs.Vocabulary}
		number := 0
		err := docs.Pass(ctx, func(all *corpus.Documents) error {
			chosen := corpus.Documents{Offsets: []int32{0}}
			for d := range all.Documents() {
				if number++; number%parts != part {
					continue
				}
				items, counts := all.Row(d)
				chosen.Items, chosen.Counts = append(chosen.Items, items...), append(chosen.Counts, counts...)
				chosen.Offsets = append(chosen.Offsets, int32(len(chosen.Items)))
				for _, count := range counts {
					intake.Tokens += int64(count)
				}
			}
			intake.Documents += int64(chosen.Documents())
			intake.Entries += int64(len(chosen.Items))
			return fn(&chosen)
		})
		return intake, err
	}
}
