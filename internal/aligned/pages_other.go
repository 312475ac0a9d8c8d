//go:build !linux

// Other systems are not asked for huge pages.

package aligned

import "unsafe"

func adviseHuge(unsafe.Pointer, uintptr) {}
