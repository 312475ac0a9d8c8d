// Package fault holds the errors of bad input: where it is, what is wrong with it, which choice would help against it,
// and the panics of decoders.
package fault
