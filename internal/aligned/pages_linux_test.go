package aligned

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// TestLargeBlocksAreAdvised looks up in the system's own list that a large block may lie on huge pages, from its first
// value to its last.
func TestLargeBlocksAreAdvised(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the system has no huge pages to advise about")
	}
	values := Make[float64](4096 * 200)
	for _, at := range []*float64{&values[0], &values[len(values)-1]} {
		flags := mappingFlags(t, uintptr(unsafe.Pointer(at)))
		if !strings.Contains(flags, " hg") {
			t.Errorf("flags of a block's memory are %q, without hg", flags)
		}
	}
	for _, v := range values {
		if v != 0 {
			t.Fatal("advice has changed a value")
		}
	}
}

// mappingFlags returns what /proc/self/smaps says of the mapping with an address.
func mappingFlags(t *testing.T, address uintptr) string {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var first, last uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &first, &last); n == 2 {
			inside = first <= address && address < last
		} else if flags, found := strings.CutPrefix(lines.Text(), "VmFlags:"); found && inside {
			return flags
		}
	}
	t.Skip("the system does not list the flags of its mappings")
	return ""
}
