// Package arrowipc reads documents from Arrow IPC files and streams and from Feather version 2, with its own code:
// Arrow's record readers do not survive hostile files.
//
// Buffers are read in windows of bounded size, so that memory does not depend on the size of a record batch.
package arrowipc
