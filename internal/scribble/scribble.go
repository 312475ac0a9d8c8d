// Package scribble overwrites buffers that were given back, in builds with the tag scribble: so a function that keeps a
// slice beyond its lifetime is found out. In other builds it does nothing.
package scribble

import "math"

// Over overwrites the values, in builds that do so, with what no algorithm takes for an index or a count.
func Over(buffers ...[]int32) {
	if !On {
		return
	}
	for _, b := range buffers {
		for i := range b {
			b[i] = math.MinInt32
		}
	}
}
