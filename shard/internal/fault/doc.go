// Package fault holds the errors of bad input: where it stands, what is wrong with it, and the panics of decoders.
//
// Package shard exports them under names of its own.
package fault
