package stream

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/shard"
)

// TestReadChanged changes, replaces and removes a shard while its documents are delivered, after the last time that a
// reader opened it. Each is an error that names the shard, although all documents were read.
func TestReadChanged(t *testing.T) {
	for name, test := range map[string]struct {
		change func(path string) error
		want   string
	}{
		"appended to": {func(path string) error {
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = file.WriteString("late document\n")
			return errors.Join(err, file.Close())
		}, "has changed since it was found"},
		"written again": {func(path string) error {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			slices.Reverse(text[:len(text)-1])
			return errors.Join(os.Remove(path), os.WriteFile(path, text, 0o666))
		}, "has changed since it was found"},
		"removed": {os.Remove, "has vanished since it was found"},
	} {
		shards := discover(t, shard.Options{Format: shard.Baskets}, "a b\nc d\n", "e f\ng h\n")
		documents, changed := 0, false
		opts := ReadOptions{SkipDigests: true}
		opts.Workers = 1
		intake, err := Read(t.Context(), shards, opts, func(docs *corpus.Documents) error {
			documents += docs.Documents()
			if documents == 4 {
				changed = true
				return test.change(shards[0].Path)
			}
			return nil
		})
		var input *shard.Error
		if !changed || intake != nil || !errors.As(err, &input) || input.Path != shards[0].Path ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, after %d documents", name, err, documents)
		}
	}
}
