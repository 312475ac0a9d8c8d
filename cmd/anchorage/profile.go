// This file records where processor time goes, for those who want to make it less.

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime/pprof"

	"anchorage/internal/objects"
	"anchorage/internal/output"
)

// profile is a record of processor time, kept in memory until the command has ended. A nil one does nothing.
type profile struct {
	path    string
	content bytes.Buffer
}

// startProfile begins a record that is to be written to a file; with no path there is none.
func startProfile(path string) (*profile, error) {
	if path == "" {
		return nil, nil
	}
	p := &profile{path: path}
	if err := pprof.StartCPUProfile(&p.content); err != nil {
		return nil, fmt.Errorf("--cpu-profile: %w", err)
	}
	return p, nil
}

// write ends the record and writes it. ctx must outlive an interrupt for the record to be written after one.
func (p *profile) write(ctx context.Context, warn objects.Warn) error {
	if p == nil {
		return nil
	}
	pprof.StopCPUProfile()
	return output.WriteFile(ctx, p.path, warn, func(w io.Writer) error {
		_, err := w.Write(p.content.Bytes())
		return err
	})
}
