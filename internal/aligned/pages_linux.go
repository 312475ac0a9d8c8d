// This file asks for huge pages behind large blocks.

package aligned

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a huge page on most machines. On others the advice covers a part or nothing.
const hugePage = 2 << 20

// adviseHuge asks the system to back memory of the heap with huge pages. The rows of a tall matrix are visited in an
// order in which ordinary pages miss the processor's address cache at nearly every row. The memory remains Go's. The
// range is widened to whole huge pages, which lie in the heap too, since its arenas begin and end at multiples of them.
// If the system refuses or has no huge pages, only the speed changes.
func adviseHuge(start unsafe.Pointer, bytes uintptr) {
	if bytes < hugePage {
		return
	}
	first := uintptr(start) &^ (hugePage - 1)
	last := (uintptr(start) + bytes + hugePage - 1) &^ (hugePage - 1)
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, first, last-first, unix.MADV_HUGEPAGE)
}
