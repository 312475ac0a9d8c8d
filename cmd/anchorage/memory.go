// This file decides how much memory the program may take.

package main

import (
	"fmt"
	"math"
	"os"

	"anchorage/internal/process"
)

// The words that --memory-limit takes beside sizes.
const (
	memoryAuto = "auto"
	memoryNone = "none"
)

const (
	// machineShare is the share of the machine's memory that the program takes without --memory-limit.
	machineShare = 0.8
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
		machine = max(int64(machineShare*float64(room.Bytes-leastAddressSpace/2)), 1)
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
