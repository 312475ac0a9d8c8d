// This file has commands measure models that are there, or that they fit first.

package main

import (
	"context"
	"errors"
	"path/filepath"

	"anchorage/bench/internal/fitting"
	"anchorage/bench/internal/report"
)

// overModels calls measure with the folders of the models that words name, and with what a command line says of them. What it fits is beside output,
// and removed at the end.
func (p *program) overModels(ctx context.Context, output string, words []string, measure func(models, says []string) error) (err error) {
	for _, word := range words {
		if err := fitting.Check(word); err != nil {
			return &usageError{err}
		}
	}
	room, remove, err := report.Scratch(filepath.Dir(output))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	var models, says []string
	for _, word := range words {
		path, say, err := fitting.Ready(ctx, word, room, p.workers)
		if err != nil {
			return err
		}
		p.log.Info("model is there", "model", say)
		models, says = append(models, path), append(says, say)
	}
	return measure(models, says)
}
