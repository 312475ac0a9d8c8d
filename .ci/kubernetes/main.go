// Command kubernetes checks manifests of Kubernetes against the published types of its API: a field that these do not
// have, or a value of another type, is an error.
package main

import (
	"bytes"
	"fmt"
	"os"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// kinds are the kinds that are known, by apiVersion and kind.
var kinds = map[metav1.TypeMeta]func() any{
	{APIVersion: "batch/v1", Kind: "Job"}:     func() any { return new(batchv1.Job) },
	{APIVersion: "batch/v1", Kind: "CronJob"}: func() any { return new(batchv1.CronJob) },

	{APIVersion: "kubeflow.org/v2beta1", Kind: "MPIJob"}: func() any { return new(mpiJob) },
}

func main() {
	failed := false
	for _, path := range os.Args[1:] {
		text, err := os.ReadFile(path)
		if err == nil {
			err = check(text)
		}
		if err != nil {
			fmt.Printf("%s: %v\n", path, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check checks every document of a file.
func check(text []byte) error {
	documents := bytes.Split(text, []byte("\n---\n"))
	for at, document := range documents {
		var kind metav1.TypeMeta
		if err := yaml.Unmarshal(document, &kind); err != nil {
			return fmt.Errorf("document %d: %w", at+1, err)
		}
		into, known := kinds[kind]
		if !known {
			return fmt.Errorf("document %d: %s %s is not known here", at+1, kind.APIVersion, kind.Kind)
		}
		manifest := into()
		if err := yaml.UnmarshalStrict(document, manifest); err != nil {
			return fmt.Errorf("document %d: %w", at+1, err)
		}
		if job, ok := manifest.(*mpiJob); ok {
			if err := job.valid(); err != nil {
				return fmt.Errorf("document %d: %w", at+1, err)
			}
		}
	}
	return nil
}
