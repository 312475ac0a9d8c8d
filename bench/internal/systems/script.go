// This file runs programs that answer with a table.

package systems

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/show"
	"anchorage/bench/peers"
)

// Script runs a program of bench/peers in Python on a folder, and returns the table that it answers with. Without the
// libraries of the program the table is empty.
func Script(ctx context.Context, j *run.Job, name, folder string, numbers ...int) (table show.View, err error) {
	text, err := peers.Script(name)
	if err != nil {
		return table, err
	}
	program, out := filepath.Join(j.Scratch, name), filepath.Join(j.Scratch, name+".csv")
	if err := os.WriteFile(program, text, 0o644); err != nil {
		return table, err
	}
	words := []string{j.Text("python"), program, folder}
	for _, n := range numbers {
		words = append(words, fmt.Sprint(n))
	}
	var stdout bytes.Buffer
	ended, err := run.Start(ctx, words, nil, &stdout, j.Stderr)
	switch {
	case err != nil || ended.Code == codeAbsent:
		j.Log.Warn("other methods left out", "program", name, "reason", errors.Join(err, errors.New(ended.Failure)))
		return table, nil
	case ended.Failure != "":
		return table, errors.New(ended.Failure)
	}
	if err := os.WriteFile(out, stdout.Bytes(), 0o644); err != nil {
		return table, err
	}
	return show.Read(out)
}
