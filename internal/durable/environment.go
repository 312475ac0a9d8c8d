//go:build faults && unix

// This file makes operations of a whole process fail, or end it, as the environment says. Only a build for tests has it: go build -tags faults.

package durable

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// The variables of the environment: FAULTS is KIND@N, which hits the N-th operation that the kind can hit, from 1, or KIND/N, which hits
// every N-th. LOG names a file to which every operation adds a line.
const (
	FaultsVariable = "ANCHORAGE_FAULTS"
	LogVariable    = "ANCHORAGE_FAULTS_LOG"
)

// openings are the operations that take a descriptor, and growing those that take room on the disk.
var (
	openings = []string{"create", "open directory", "sync directory"}
	growing  = []string{"create", "write", "write at", "sync", "close", "mkdir", "link", "symlink", "truncate"}
)

// faultKinds are the kinds of faults: the operations that they hit, nil for all, and what happens then.
var faultKinds = map[string]struct {
	hits []string
	do   func() error
}{
	"eio":    {nil, func() error { return syscall.EIO }},
	"enospc": {growing, func() error { return syscall.ENOSPC }},
	"short":  {[]string{"write"}, func() error { return &ShortWrite{syscall.ENOSPC} }},
	"emfile": {openings, func() error { return syscall.EMFILE }},
	"kill":   {nil, func() error { return killSelf() }},
}

func killSelf() error {
	if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
		return err
	}
	select {} // until the signal arrives
}

func init() {
	if err := obey(os.Getenv(FaultsVariable), os.Getenv(LogVariable)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(10)
	}
}

// obey sets the faults that the variables ask for.
func obey(spec, log string) error {
	if spec == "" && log == "" {
		return nil
	}
	var file *os.File
	if log != "" {
		var err error
		if file, err = os.Create(log); err != nil {
			return err
		}
	}
	name, number, every := "", 0, false
	if spec != "" {
		at := strings.IndexAny(spec, "@/")
		if at < 0 {
			return fmt.Errorf("%s is %q: it must be KIND@N or KIND/N", FaultsVariable, spec)
		}
		var err error
		name, every = spec[:at], spec[at] == '/'
		if number, err = strconv.Atoi(spec[at+1:]); err != nil || number < 1 || faultKinds[name].do == nil {
			return fmt.Errorf("%s is %q: it must be KIND@N or KIND/N", FaultsVariable, spec)
		}
	}
	kind, seen := faultKinds[name], 0
	var mu sync.Mutex
	faults = func(operation string) error {
		mu.Lock()
		defer mu.Unlock()
		if file != nil {
			fmt.Fprintln(file, operation)
		}
		if kind.do == nil || kind.hits != nil && !slices.Contains(kind.hits, operation) {
			return nil
		}
		seen++
		if seen == number || every && seen%number == 0 {
			return kind.do()
		}
		return nil
	}
	return nil
}
