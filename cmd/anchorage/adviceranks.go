// This file says what would help against errors of several ranks.

package main

import (
	"errors"

	"anchorage/internal/collective"
)

// comparedAdvice is what follows the message of a *collective.DisagreementError, by what differs.
var comparedAdvice = map[string]string{
	comparedProgram: ": start the same program on machines with the same instructions",
	comparedOptions: ": give all ranks the same flags",
	comparedShards:  ": all ranks must see the same files",
}

// ranksAdvice returns what to add to the message of an error of several ranks; "" for other errors.
func ranksAdvice(err error) string {
	if launch := new(collective.LaunchError); errors.As(err, &launch) && !launch.Built {
		return ": build it with CC=mpicc go build -tags mpi ./cmd/anchorage, or start it once"
	}
	if differs := new(collective.DisagreementError); errors.As(err, &differs) {
		if advice := comparedAdvice[differs.What]; advice != "" {
			return advice
		}
		return ": all ranks must read the same files"
	}
	if unshared := new(collective.UnsharedError); errors.As(err, &unshared) {
		return ": name a folder with -o that all machines share"
	}
	return ""
}

// built says what one fit over several ranks would use.
func built() string {
	if name := collective.Implementation(); name != "" {
		return "one fit on several ranks: over MPI, with " + name
	}
	return "one fit on several ranks: no, built without MPI"
}
