// This file checks before a run whether the memory has room for what the run will hold, and the disk for what it will
// write at least.

package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/internal/process"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// The words that --memory-limit takes beside sizes.
const (
	memoryAuto = "auto"
	memoryNone = "none"
)

const (
	// machineShare is the share of the machine's memory that the program takes without --memory-limit.
	machineShare = 0.8
	// spaceShare is that share of an address space. It is less, since arrays that went leave holes that larger ones do not
	// fit into, and the runtime dies if it cannot map more.
	spaceShare = 0.6
	// leastLimit is the least --memory-limit of commands that hold a model and documents, in bytes. Code, the runtime and
	// what such a command allocates between two looks of process.Guard take up to 85 MiB.
	leastLimit = 96 << 20
	// usualSorting is the memory for sorting rows without a limit, in bytes.
	usualSorting = 1 << 30
	// leastAddressSpace is the least number of bytes that the process must be able to map beside what it has mapped: the
	// runtime takes them for its first threads and arenas, and dies if it does not get them.
	leastAddressSpace = 256 << 20
)

// holdsModel returns errLowLimit if a command that holds a model could not hold to the limit.
func (m memoryLimit) holdsModel() error {
	if m > 0 && m < leastLimit {
		return errLowLimit
	}
	return nil
}

// errLowLimit says that a command that holds a model could not hold to a limit.
var errLowLimit = fmt.Errorf("--memory-limit is less than the %d MiB that the program may take beside a model",
	leastLimit>>20)

// memoryLimit is what --memory-limit says: bytes, 0 for auto, or anyMemory.
type memoryLimit int64

// anyMemory is the memoryLimit that refuses nothing.
const anyMemory memoryLimit = -1

// chosen returns how much memory the run may take, in bytes; 0 without --memory-limit.
func (m memoryLimit) chosen() int64 { return max(int64(m), 0) }

// bytes returns the memory that the process may take; 0 for any.
func (m memoryLimit) bytes() int64 {
	if m == anyMemory {
		return 0
	}
	room := process.MemoryRoom()
	machine := int64(machineShare * float64(room.Bytes))
	if room.Limiter == process.AddressSpace {
		machine = max(int64(spaceShare*float64(room.Bytes-leastAddressSpace/2)), 1)
	}
	switch {
	case m == 0:
		return machine
	case room.Limiter == process.AddressSpace:
		return min(int64(m), machine) // the runtime dies if it gets no more
	}
	return int64(m)
}

// sorting returns the memory that all readers together may sort rows in.
func (m memoryLimit) sorting() int64 {
	half := m.bytes() / 2 // the limit covers the items and the program itself too
	switch {
	case m > 0:
		return half
	case half == 0:
		half = math.MaxInt64
	}
	return min(half, usualSorting)
}

// apply makes the limit that of the process. GOMEMLIMIT overrides what the collector does about it.
func (m memoryLimit) apply() {
	_, set := os.LookupEnv("GOMEMLIMIT")
	process.LimitMemory(m.bytes(), set)
}

// preflight returns a sentence if the process may take so little that the Go runtime could die with a trace; "" if all
// is well.
func preflight(room process.Room) string {
	if room.Limiter == process.AddressSpace && room.Bytes < leastAddressSpace {
		return fmt.Sprintf("%d MiB of address space are left, and at least %d MiB are needed: raise the limit (ulimit -v)",
			room.Bytes>>20, leastAddressSpace>>20)
	}
	return ""
}

// modelBytes is the least that the tables of a model take per item and topic: two numbers of 4 bytes, which hardly
// compress.
const modelBytes = 8

// room returns an error if what will be written, need bytes, does not fit into a folder of this machine; move says what
// puts it elsewhere. Where the room is unknown, everything fits.
func (p *program) room(what, folder string, need int64, move string) error {
	if free, known := p.free(folder); known && need > free {
		return &codedError{exitResources, fmt.Errorf("%s will take at least %s in %s, where %s are free: %s are missing; "+
			"%s, or begin all the same with --set disk-check=false", what, humanize.IBytes(uint64(need)), folder,
			humanize.IBytes(uint64(free)), humanize.IBytes(uint64(need-free)), move)}
	}
	return nil
}

// roomForCopy checks that the compact copy of shards fits into the folder of --spill-dir, or beside the output. It
// allows all if the size of a shard is unknown.
func (f *sourceFlags) roomForCopy(p *program, shards []shard.Shard, out *model.Output) error {
	need := stream.LeastCopy(shards)
	if f.noDisk || need == 0 {
		return nil
	}
	folder, err := workingFolder(f.spillDir, out)
	if err != nil {
		return err
	}
	if f.spillDir == "" {
		folder = filepath.Dir(folder)
	}
	return p.room("the compact copy of the documents", folder, need, "name another folder with --spill-dir")
}

// roomForModel checks that a model of the documents with a number of topics fits beside the output, or where it is
// gathered before it is uploaded. The copy of the documents, which may lie there too, is gone by then: at most
// copiedBytes per entry are not needed.
func (f *sourceFlags) roomForModel(p *program, a corpus.Account, topics int, w work) error {
	const copiedBytes = 3
	need := modelBytes*int64(a.Items)*int64(topics) - copiedBytes*a.Entries
	if f.noDisk || need <= 0 {
		return nil
	}
	move := "write to another disk with -o"
	if objects.IsURL(w.path) {
		move = "let TMPDIR name another folder, in which the model is gathered before it is uploaded"
	}
	folder, err := w.out.Scratch()
	if err != nil {
		return err
	}
	return p.room("the model", filepath.Dir(folder), need, move)
}
