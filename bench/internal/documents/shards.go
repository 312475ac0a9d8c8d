// This file finds the documents of a corpus.

package documents

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"anchorage/shard"
)

// LabelsFile is the file of a corpus with the columns item and label; not all have it.
const LabelsFile = "labels.csv"

// Shards finds the shards of a corpus. Its labels are not among them.
func Shards(ctx context.Context, folder string) ([]shard.Shard, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, errors.New("DATA has no such folder")
	}
	var paths []string
	for _, entry := range entries {
		if entry.Name() != LabelsFile && entry.Type().IsRegular() {
			paths = append(paths, filepath.Join(folder, entry.Name()))
		}
	}
	if len(paths) == len(entries) {
		paths = []string{folder} // the folder as a whole knows which of its files belong together
	}
	return shard.Discover(ctx, paths, shard.Options{})
}
