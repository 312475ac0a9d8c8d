//go:build !race

package long

// Race says that the race detector watches.
const Race = false
