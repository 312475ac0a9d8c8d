// Package access opens files of this machine and objects of stores, plain or compressed, in the state in which they
// were found, and watches how long decoding them takes.
//
// An Object is a value and may be shared. A Source, a Text and a Watch belong to one goroutine.
package access
