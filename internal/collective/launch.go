// This file finds out from the environment whether the process was started as one of several.

package collective

import (
	"fmt"
	"strconv"
)

// Launch is how the process was started.
type Launch struct {
	Ranks    int    // processes that were started together; 1 for a single process, 0 if the launcher does not say
	Rank     int    // the number of this one; −1 if the launcher does not say
	Launcher string // what started them; "" for a single process
}

// Together reports whether the process is, or may be, one of several.
func (l Launch) Together() bool { return l.Launcher != "" && l.Ranks != 1 }

// launchers are the variables that launchers set, for each process that they start. A batch script of Slurm, and a task
// of an array, have neither of Slurm's: these belong to the steps that srun starts.
var launchers = []struct{ name, size, rank string }{
	{"mpirun of Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
	{"a launcher with PMI", "PMI_SIZE", "PMI_RANK"},
	{"mpirun of MVAPICH", "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
	{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
	{"a launcher with PMIx", "", "PMIX_RANK"},
}

// Launched returns how the process was started. lookup is os.LookupEnv, outside tests.
func Launched(lookup func(name string) (value string, set bool)) Launch {
	for _, l := range launchers {
		size, known := 0, false
		if text, set := lookup(l.size); set {
			n, err := strconv.Atoi(text)
			size, known = n, err == nil && n > 0
		}
		rank := -1
		if text, set := lookup(l.rank); set {
			if n, err := strconv.Atoi(text); err == nil && n >= 0 {
				rank = n
			}
		}
		if known || l.size == "" && rank >= 0 {
			return Launch{Ranks: size, Rank: rank, Launcher: l.name}
		}
	}
	return Launch{Ranks: 1}
}

// LaunchError says that a process was started as one of several, but that the program cannot work as such.
type LaunchError struct {
	Launch
	Reason string
	Built  bool // the program was built for several ranks
}

func (e *LaunchError) Error() string {
	if e.Ranks > 0 {
		return fmt.Sprintf("started as one of %d ranks by %s, but %s", e.Ranks, e.Launcher, e.Reason)
	}
	return fmt.Sprintf("started as one of several ranks by %s, but %s", e.Launcher, e.Reason)
}
