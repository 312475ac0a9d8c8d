// Package fault holds the errors of bad input: where it is, what is wrong with it, and the panics of decoders.
//
// Package shard exports them under its own names.
package fault
