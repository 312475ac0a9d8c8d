// This file exchanges two directories on macOS.

package durable

import "golang.org/x/sys/unix"

// canExchange says whether exchange works on this system. A file system may still refuse it.
const canExchange = true

// exchange gives each of two paths what is at the other, in one step.
func exchange(a, b string) error { return unix.RenamexNp(a, b, unix.RENAME_SWAP) }
