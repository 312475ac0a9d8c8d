// This file names what is in a store, and finds it.

package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
)

// layoutVersion is the version of the layout of stores.
const layoutVersion = 1

// The files and folders of a store.
const (
	markFile         = "store.json"
	vocabularyFolder = "vocabulary"
	shardsFolder     = "shards"
	generationFolder = "generations"
	statesFolder     = "states"
	currentLink      = "current"
)

// The files of a shard's folder.
const (
	copyFile   = "corpus"
	itemsFile  = "items.parquet"
	recordFile = "shard.json"
)

// folders are the folders of a store.
var folders = []string{vocabularyFolder, shardsFolder, generationFolder, statesFolder}

// onDisk returns the path of a store: a file URL becomes a path, and other URLs stay.
func onDisk(path string) (string, error) {
	if objects.IsURL(path) {
		return path, nil
	}
	return objects.Local(path)
}

// numbered returns the name that belongs to a number.
func numbered(n int, ending string) string { return fmt.Sprintf("%06d%s", n, ending) }

// numbersIn returns the numbers of the names in a folder, in order.
func numbersIn(ctx context.Context, folder, ending string) ([]int, error) {
	names, err := namesIn(ctx, folder)
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, name := range names {
		n, err := strconv.Atoi(strings.TrimSuffix(name, ending))
		if err == nil && n > 0 && numbered(n, ending) == name {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

// namesIn returns the names of what is in a folder, in order; none if there is no such folder.
func namesIn(ctx context.Context, folder string) ([]string, error) {
	if !objects.IsURL(folder) {
		entries, err := os.ReadDir(folder)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		names := make([]string, len(entries))
		for i, entry := range entries {
			names[i] = entry.Name()
		}
		return names, err
	}
	place, err := objects.Parse(folder)
	if err != nil {
		return nil, err
	}
	prefix := place.Below("")
	var names []string
	err = objects.List(ctx, prefix, nil, func(info objects.Info) error {
		name, _, _ := strings.Cut(strings.TrimPrefix(info.Key, prefix.Key), "/")
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
		return nil
	})
	slices.Sort(names)
	return slices.Compact(names), err
}

// putNew puts a file where there is none. The error wraps durable.ErrExists if there is one.
func putNew(ctx context.Context, path string, content []byte, warn objects.Warn) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !objects.IsURL(path) {
		return durable.CreateFile(path, content)
	}
	place, err := objects.Parse(path)
	if err != nil {
		return err
	}
	if err := objects.Put(ctx, place, content, warn); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s: %w", path, durable.ErrExists)
		}
		return err
	}
	return nil
}

// removeAll removes a file, or a folder and all that is in it.
func removeAll(ctx context.Context, path string, warn objects.Warn) error {
	if !objects.IsURL(path) {
		return durable.RemoveAll(path)
	}
	place, err := objects.Parse(path)
	if err != nil {
		return err
	}
	// The mark of completeness goes first, so that no reader takes the rest for complete.
	if err := objects.Remove(ctx, place.Below(durable.Success), warn); err != nil {
		return err
	}
	var doomed []objects.Place
	err = objects.List(ctx, place.Below(""), warn, func(info objects.Info) error {
		doomed = append(doomed, info.Place)
		return nil
	})
	if err != nil {
		return err
	}
	for _, object := range append(doomed, place) {
		if err := objects.Remove(ctx, object, warn); err != nil {
			return err
		}
	}
	return nil
}

// Digest returns the SHA-256 of bytes, in hexadecimal.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
