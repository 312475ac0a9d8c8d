// This file records where processor time goes.

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

// profile is a record of processor time, held in memory until the command ends. A nil profile does nothing.
type profile struct {
	path    string
	content bytes.Buffer
}

// startProfile begins a record for the file at path; without a path it returns nil.
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

// write ends the record and writes it. It writes after an interrupt only if ctx outlives the interrupt.
func (p *profile) write(ctx context.Context, warn objects.Warn) error {
	if p == nil {
		return nil
	}
	pprof.StopCPUProfile()
	return output.WriteFile(ctx, p.path, true, warn, func(w io.Writer) error {
		_, err := w.Write(p.content.Bytes())
		return err
	})
}
