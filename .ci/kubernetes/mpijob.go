// This file describes the MPIJob of Kubeflow's MPI Operator, kubeflow.org/v2beta1, as far as a manifest gives it. The
// operator's own module is not at the module proxy; what is in its pods are types of Kubernetes.

package main

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type mpiJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		SlotsPerWorker         *int32                `json:"slotsPerWorker"`
		RunLauncherAsWorker    *bool                 `json:"runLauncherAsWorker"`
		RunPolicy              runPolicy             `json:"runPolicy"`
		MPIReplicaSpecs        map[string]mpiReplica `json:"mpiReplicaSpecs"`
		SSHAuthMountPath       string                `json:"sshAuthMountPath"`
		LauncherCreationPolicy string                `json:"launcherCreationPolicy"`
		MPIImplementation      string                `json:"mpiImplementation"`
	} `json:"spec"`
}

type runPolicy struct {
	CleanPodPolicy          string `json:"cleanPodPolicy"`
	TTLSecondsAfterFinished *int32 `json:"ttlSecondsAfterFinished"`
	ActiveDeadlineSeconds   *int64 `json:"activeDeadlineSeconds"`
	BackoffLimit            *int32 `json:"backoffLimit"`
	Suspend                 *bool  `json:"suspend"`
}

type mpiReplica struct {
	Replicas      *int32                 `json:"replicas"`
	RestartPolicy string                 `json:"restartPolicy"`
	Template      corev1.PodTemplateSpec `json:"template"`
}

// valid checks the values that the operator's schema lists.
func (j *mpiJob) valid() error {
	for _, choice := range []struct {
		field, value string
		allowed      []string
	}{
		{"mpiImplementation", j.Spec.MPIImplementation, []string{"", "OpenMPI", "Intel", "MPICH"}},
		{"launcherCreationPolicy", j.Spec.LauncherCreationPolicy, []string{"", "AtStartup", "WaitForWorkersReady"}},
		{"cleanPodPolicy", j.Spec.RunPolicy.CleanPodPolicy, []string{"", "All", "Running", "None"}},
	} {
		if !slices.Contains(choice.allowed, choice.value) {
			return fmt.Errorf("%s is %q, not one of %q", choice.field, choice.value, choice.allowed)
		}
	}
	for _, name := range []string{"Launcher", "Worker"} {
		if len(j.Spec.MPIReplicaSpecs[name].Template.Spec.Containers) == 0 {
			return fmt.Errorf("mpiReplicaSpecs has no containers for %s", name)
		}
	}
	for name, replica := range j.Spec.MPIReplicaSpecs {
		if name != "Launcher" && name != "Worker" {
			return fmt.Errorf("mpiReplicaSpecs has %s", name)
		}
		if !slices.Contains([]string{"", "Always", "OnFailure", "Never", "ExitCode"}, replica.RestartPolicy) {
			return fmt.Errorf("the restartPolicy of %s is %q", name, replica.RestartPolicy)
		}
	}
	if launchers := j.Spec.MPIReplicaSpecs["Launcher"].Replicas; launchers != nil && *launchers != 1 {
		return fmt.Errorf("there are %d launchers", *launchers)
	}
	return nil
}
