//go:build faults && unix

// This file makes operations of a whole process fail, or end it, as the environment says. Only a build for tests has
// it: go build -tags faults.

package durable

import (
	"encoding/gob"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// The variables of the environment: FAULTS is KIND@N, which hits the N-th operation that the kind can hit, from 1, or
// KIND/N, which hits every N-th. LOG names a file to which every operation adds a line before it begins, and RECORD one
// to which every operation that has succeeded is written, with absolute paths, in the encoding of gob.
const (
	faultsVariable = "ANCHORAGE_FAULTS"
	logVariable    = "ANCHORAGE_FAULTS_LOG"
	recordVariable = "ANCHORAGE_FAULTS_RECORD"
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
	err := obey(os.Getenv(faultsVariable), os.Getenv(logVariable))
	if err == nil {
		err = record(os.Getenv(recordVariable))
	}
	if err != nil {
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
	name, count, once := strings.Cut(spec, "@")
	if !once {
		name, count, _ = strings.Cut(spec, "/")
	}
	number, err := strconv.Atoi(count)
	if spec != "" && (err != nil || number < 1 || faultKinds[name].do == nil) {
		return fmt.Errorf("%s is %q: it must be KIND@N or KIND/N", faultsVariable, spec)
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
		if seen == number || !once && seen%number == 0 {
			return kind.do()
		}
		return nil
	}
	return nil
}

// record writes all operations down.
func record(path string) error {
	if path == "" {
		return nil
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	encoder := gob.NewEncoder(file)
	var mu sync.Mutex
	observer = func(op Operation) {
		mu.Lock()
		defer mu.Unlock()
		for _, path := range []*string{&op.Path, &op.To} {
			if *path == "" || op.Name == "symlink" && path == &op.Path {
				continue
			}
			if absolute, err := filepath.Abs(*path); err == nil {
				*path = absolute
			}
		}
		if err := encoder.Encode(&op); err != nil {
			panic(err) // the record would be of no use
		}
	}
	return nil
}
