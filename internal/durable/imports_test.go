package durable

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImports wants this package to be light: packages that write a file of this machine must not link the clients of
// object stores, nor Arrow.
func TestImports(t *testing.T) {
	listing, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, listing)
	}
	for name := range strings.FieldsSeq(string(listing)) {
		for _, heavy := range []string{"minio/minio-go/", "apache/arrow/", "internal/objects"} {
			if strings.Contains(name+"/", heavy) {
				t.Errorf("this package depends on %s", name)
			}
		}
	}
}
