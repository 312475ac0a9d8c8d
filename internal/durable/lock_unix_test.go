//go:build unix && !solaris && !illumos && !aix

package durable

import (
	"syscall"
	"testing"
)

// A lock that was given back is free even while another process still has the open file, as one that is being started.
func TestUnlockBesideCopy(t *testing.T) {
	path := t.TempDir()
	held, err := LockDir(path)
	if err != nil {
		t.Fatal(err)
	}
	beside, err := syscall.Dup(int(held.dir.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(beside)
	held.Unlock()
	again, err := LockDir(path)
	if err != nil {
		t.Fatalf("after it was given back: %v", err)
	}
	again.Unlock()
}
