// This file replaces the link over MPI in a program that was built without it.

//go:build !mpi

package collective

import "context"

// Implementation says which MPI the program was built with; "" for none.
func Implementation() string { return "" }

// dial refuses to be one of several ranks: each would do the whole work, and all would write the same output.
func dial(_ context.Context, how Launch) (*entry, error) {
	return nil, &LaunchError{Launch: how, Reason: "this program was built without MPI"}
}
