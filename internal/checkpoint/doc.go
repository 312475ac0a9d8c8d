// Package checkpoint keeps the state of a run on disk, so that a run that was interrupted or killed can continue from
// there and end with the bytes of one that was not.
//
// A Folder belongs to one run. It holds chains of states, one for each part of the run. A state is a file that needs no
// other: what finished stages have found, and where the present one is. The newest two states of a chain are kept; if
// the newest is damaged, the one before it is used. docs/format/checkpoint.md has the layout.
//
// States are written at points of the run where a stage is between two steps, often enough that little is lost and
// seldom enough that little time is spent (Options). When they are written has no influence on any result.
//
// Several ranks of one job (package internal/collective) have one folder, on the machine of rank 0, the only one that
// opens files. All ranks call the same methods at the same time: Open, Load, Reached, Finished, and what they do with
// Values. Whether to write, what is found and what is wrong is what rank 0 says. The bytes of a state do not depend on
// the number of ranks, and any number of ranks can continue from it.
//
// A Folder, its chains and their points belong to one goroutine. All methods of a nil *Folder, *Chain or *Point do
// nothing, so that stages need not ask whether there are checkpoints.
package checkpoint
