// This file holds what a part of the soak has found.

package soak

import (
	"fmt"
	"time"
)

// Outcome is what became of one thing that was disturbed in one way.
type Outcome struct {
	Part, What, How string
	Disturbed       int           // runs, or readings
	Refused         int           // of those, that ended with an error, an interrupt or a kill
	Complete        int           // of those, after which the new output was there, or the right values were read
	Left            int           // files and folders for the next run to remove, at most
	Requests        int           // that an object store failed
	Slowest         time.Duration // from a signal to the end
	Time            time.Duration
	Note            string
	Problems        []string
}

// add adds another outcome of the same.
func (o *Outcome) add(more *Outcome) {
	o.Disturbed += more.Disturbed
	o.Refused += more.Refused
	o.Complete += more.Complete
	o.Requests += more.Requests
	o.Left, o.Slowest = max(o.Left, more.Left), max(o.Slowest, more.Slowest)
	o.Time += more.Time
	o.Problems = append(o.Problems, more.Problems...)
}

// problem notes a problem.
func (o *Outcome) problem(format string, args ...any) {
	o.Problems = append(o.Problems, fmt.Sprintf(format, args...))
}
