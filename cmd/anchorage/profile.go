// This file records where processor time goes, for those who want to make it less.

package main

import (
	"bytes"
	"fmt"
	"io"
	"runtime/pprof"

	"anchorage/internal/durable"
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

// write ends the record and writes it.
func (p *profile) write() error {
	if p == nil {
		return nil
	}
	pprof.StopCPUProfile()
	return durable.WriteFile(p.path, func(w io.Writer) error {
		_, err := w.Write(p.content.Bytes())
		return err
	})
}
