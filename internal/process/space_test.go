//go:build linux || darwin

package process

import (
	"path/filepath"
	"testing"
)

// The room of a folder is known, and that of one that does not exist is not.
func TestFreeSpace(t *testing.T) {
	folder := t.TempDir()
	if free, known := FreeSpace(folder); !known || free < 0 {
		t.Errorf("%d bytes are free below %s, known %t", free, folder, known)
	}
	if free, known := FreeSpace(filepath.Join(folder, "missing")); known || free != 0 {
		t.Errorf("%d bytes are free below a folder that does not exist, known %t", free, known)
	}
}
