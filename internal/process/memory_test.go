package process

import (
	"runtime/debug"
	"testing"
)

// A nil watch reports 0.
func TestNilWatch(t *testing.T) {
	if peak := (*Watch)(nil).End(); peak != 0 {
		t.Errorf("a nil watch reports %d bytes, want 0", peak)
	}
}

// A watch reports the peak between its beginning and its end, even though other watches reset the system's mark.
func TestMemoryWatch(t *testing.T) {
	if resetHighWaterMark() != nil {
		t.Skip("the system's mark cannot be reset")
	}
	const size = 256 << 20
	outer := StartWatch()
	before := StartWatch()
	quiet := before.End()
	inner := StartWatch()
	block := make([]byte, size)
	for i := 0; i < size; i += 4096 {
		block[i] = 1
	}
	high := inner.End()
	if block[4096] != 1 {
		t.Fatal("the block must live until here")
	}
	block = nil
	debug.FreeOSMemory()
	later := StartWatch()
	low := later.End()
	whole := outer.End()
	if high < size || quiet > high-size/2 || low > high-size/2 {
		t.Errorf("%d bytes before, %d with a block of %d, %d after it", quiet, high, size, low)
	}
	if whole < high || PeakMemory() < high {
		t.Errorf("%d bytes in all and %d of the process, but %d in between", whole, PeakMemory(), high)
	}
	if len(memory.watches) != 0 {
		t.Errorf("%d watches are still open", len(memory.watches))
	}
}
