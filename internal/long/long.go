// Package long divides the tests into two tiers. The default tier is what a person runs: go test ./... takes a few
// minutes. The long tier repeats tests over more shapes, seeds and interrupts, and measures: statistics over many fits,
// heaps, builds, soak. ANCHORAGE_LONG=1 adds it. An example is
//
//	ANCHORAGE_LONG=1 go test ./rectify
package long

import (
	"os"
	"testing"
)

// Variable is the environment variable that adds the long tier if it is 1.
const Variable = "ANCHORAGE_LONG"

// Tier reports whether the long tier runs. A test that does less in the default tier asks it.
func Tier() bool { return os.Getenv(Variable) == "1" }

// Test skips a test in the default tier. The reason says why the test takes long.
func Test(t testing.TB, reason string) {
	t.Helper()
	if !Tier() {
		t.Skipf("%s=1 runs this test: %s", Variable, reason)
	}
}

// Unwatched skips a test under the race detector, which makes numerical loops tens of times slower: a test of one
// goroutine, or one whose goroutines other tests run too.
func Unwatched(t testing.TB) {
	t.Helper()
	if Race {
		t.Skip("the race detector has nothing to see in it that it does not see elsewhere")
	}
}

// Grid returns all values in the long tier, and the first n of them in the default tier.
func Grid[T any](n int, values ...T) []T {
	if Tier() {
		return values
	}
	return values[:n]
}
