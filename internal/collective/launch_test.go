package collective

import "testing"

func TestLaunched(t *testing.T) {
	for _, test := range []struct {
		name        string
		environment map[string]string
		want        Launch
		together    bool
	}{
		{"alone", nil, Launch{Ranks: 1}, false},
		{"Open MPI", map[string]string{"OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_RANK": "3", "PMIX_RANK": "3"}, Launch{4,
			3, "mpirun of Open MPI"}, true},
		{"one rank", map[string]string{"OMPI_COMM_WORLD_SIZE": "1", "OMPI_COMM_WORLD_RANK": "0"}, Launch{1, 0,
			"mpirun of Open MPI"}, false},
		{"MPICH, and srun with pmi2", map[string]string{"PMI_SIZE": "2", "PMI_RANK": "1", "SLURM_STEP_NUM_TASKS": "2",
			"SLURM_PROCID": "1"}, Launch{2, 1, "a launcher with PMI"}, true},
		{"srun", map[string]string{"SLURM_STEP_NUM_TASKS": "8", "SLURM_PROCID": "7", "SLURM_NTASKS": "8"}, Launch{8, 7,
			"srun"}, true},
		{"a batch script", map[string]string{"SLURM_NTASKS": "8", "SLURM_PROCID": "0", "SLURM_JOB_ID": "12"},
			Launch{Ranks: 1}, false},
		{"a task of an array", map[string]string{"SLURM_ARRAY_TASK_ID": "3", "SLURM_NTASKS": "1", "SLURM_STEP_NUM_TASKS": "1",
			"SLURM_PROCID": "0"}, Launch{1, 0, "srun"}, false},
		{"PMIx alone", map[string]string{"PMIX_RANK": "1"}, Launch{0, 1, "a launcher with PMIx"}, true},
		{"nonsense", map[string]string{"PMI_SIZE": "many", "OMPI_COMM_WORLD_SIZE": ""}, Launch{Ranks: 1}, false},
	} {
		got := Launched(func(name string) (string, bool) { value, set := test.environment[name]; return value, set })
		if got != test.want || got.Together() != test.together {
			t.Errorf("%s: %+v, want %+v", test.name, got, test.want)
		}
	}
}
