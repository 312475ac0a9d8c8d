package process

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestCollector sets the collector as a program does, and wants GOGC to be respected, whatever its value.
func TestCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(77))
	for _, value := range []string{"77", "off", ""} {
		t.Setenv("GOGC", value)
		if StartCollector(); TunesCollector() || CollectorPercent() != 77 {
			t.Errorf("with GOGC=%s: %d", value, CollectorPercent())
		}
	}
	if err := os.Unsetenv("GOGC"); err != nil { // the test's end brings it back
		t.Fatal(err)
	}
	if StartCollector(); !TunesCollector() || CollectorPercent() != initialPercent {
		t.Errorf("without GOGC: %d", CollectorPercent())
	}
}
