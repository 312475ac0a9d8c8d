//go:build !linux

// Other systems place large blocks as they see fit.

package aligned

import "unsafe"

func adviseHuge(unsafe.Pointer, uintptr) {}
