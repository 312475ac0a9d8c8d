//go:build !scribble

package scribble

// On says that buffers are overwritten when the function they were delivered to has returned.
const On = false
