// This file makes corpora as Parquet shards with a description, or finds those made before.

package scale

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"anchorage/internal/durable"
	"anchorage/model"
)

const (
	// descriptionFile is the file beside shards that says what they hold.
	descriptionFile = "corpus.json"
	// shardDocuments is the greatest number of documents of a shard; a corpus has at least leastShards.
	shardDocuments = 50_000
	leastShards    = 4
)

// corpusFile describes the shards of a corpus.
type corpusFile struct {
	Items     int         `json:"items"`
	Documents int         `json:"documents"`
	Tokens    int         `json:"tokens"`
	Topics    int         `json:"topics"`
	Seed      uint64      `json:"seed"`
	Program   string      `json:"program"` // version; another one may draw otherwise
	Shards    []shardFile `json:"shards"`
}

type shardFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

// shards returns the paths of the shards of a run's corpus, in a folder of their own under root. It makes them where there is no
// such folder.
func (s *Series) shards(ctx context.Context, run Run, root string) ([]string, error) {
	folder := filepath.Join(root, fmt.Sprintf("items-%d-documents-%d-tokens-%d-topics-%d-seed-%d", run.Items, run.Documents,
		run.Tokens, run.Topics, run.Seed))
	want := corpusFile{Items: run.Items, Documents: run.Documents, Tokens: run.Tokens, Topics: run.Topics, Seed: run.Seed,
		Program: model.Version}
	_, err := os.Lstat(folder)
	if err == nil {
		return want.find(folder)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, err
	}
	s.Log.Info("making shards", "items", run.Items, "documents", run.Documents, "topics", run.Topics)
	dir, err := durable.Create(folder)
	if err != nil {
		return nil, err
	}
	defer dir.Abort()
	count := max(leastShards, (run.Documents+shardDocuments-1)/shardDocuments)
	paths, err := run.model().Plant().WriteShards(ctx, dir.Path(), count)
	if err != nil {
		return nil, err
	}
	for i, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		want.Shards = append(want.Shards, shardFile{info.Name(), info.Size()})
		paths[i] = filepath.Join(folder, info.Name())
	}
	err = dir.WriteFile(descriptionFile, func(w io.Writer) error { return json.NewEncoder(w).Encode(want) })
	if err != nil {
		return nil, err
	}
	return paths, dir.Commit()
}

// find returns the paths of shards that were made before. It refuses a folder that does not agree with its description, and leaves
// it alone: it may hold something else.
func (c *corpusFile) find(folder string) ([]string, error) {
	refuse := func(format string, values ...any) error {
		reason := fmt.Sprintf(format, values...)
		return &model.InputError{Path: folder, Reason: reason + ": remove it, or name another folder with --shards"}
	}
	text, err := os.ReadFile(filepath.Join(folder, descriptionFile))
	if err != nil {
		return nil, refuse("holds shards without a description that can be read (%v)", err)
	}
	var found corpusFile
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, refuse("has a description that cannot be understood (%v)", err)
	}
	var paths []string
	for _, shard := range found.Shards {
		path := filepath.Join(folder, filepath.Base(shard.Name))
		if info, err := os.Stat(path); err != nil || info.Size() != shard.Size {
			return nil, refuse("does not hold %s as its description has it, %d bytes", shard.Name, shard.Size)
		}
		paths = append(paths, path)
	}
	found.Shards = nil
	if fmt.Sprint(found) != fmt.Sprint(*c) || len(paths) == 0 {
		return nil, refuse("holds shards of another corpus or program, %+v", found)
	}
	return paths, nil
}
