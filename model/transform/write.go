// This file writes a directory of documents' topics, and reads its manifest.

package transform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"anchorage/internal/objects"
	"anchorage/internal/output"
	"anchorage/internal/sealed"
	"anchorage/model"
	"anchorage/shard"
)

// namedItems is how many items of each topic a manifest names.
const namedItems = 5

// Write transforms the documents of shards with a model, and writes them as a directory at path, which may be a URL:
// part-00000.parquet and so on, a table per shard, and manifest.json. The directory appears complete or not at all.
// Errors are those of Documents and of Transformer; the error wraps model.ErrExists if path exists.
func Write(ctx context.Context, m *model.Model, t *Transformer, shards []shard.Shard, path string,
	o Options) (Manifest, error) {
	manifest := Manifest{Kind: Kind, Layout: layoutVersion, Program: model.Version, Skipped: o.Skipped,
		Model: ModelRecord{VocabularySHA256: m.Vocabulary.Fingerprint(), Items: m.Vocabulary.Len()}}
	for _, file := range m.Manifest.Outputs {
		if file.Name == "topic_items.parquet" {
			manifest.Model.TablesSHA256 = file.SHA256
		}
	}
	dir, err := output.Begin(ctx, path, Kind, o.Replace, o.Warn)
	if err != nil {
		return manifest, err
	}
	defer dir.Abort()
	if o.Folded, err = m.Folded(ctx); err != nil {
		return manifest, err
	}
	if manifest.Record, err = Documents(ctx, t, shards, dir, "part", o); err != nil {
		return manifest, err
	}
	if manifest.Record.Known == 0 && manifest.Record.Unknown > 0 {
		return manifest, noneKnown(shards)
	}
	if o.Check != nil {
		if err := o.Check(&manifest.Record); err != nil {
			return manifest, err
		}
	}
	manifest.Record.Names = Names(m)
	for _, file := range dir.Files() {
		manifest.Outputs = append(manifest.Outputs, model.OutputRecord(file))
	}
	err = dir.WriteFile(model.ManifestFile, func(w io.Writer) error { return sealed.Write(w, manifest) })
	if err != nil {
		return manifest, err
	}
	return manifest, dir.Commit()
}

// noneKnown is the error of documents that have items, but none that the model knows.
func noneKnown(shards []shard.Shard) error {
	path := shards[0].Path
	if len(shards) > 1 {
		path = fmt.Sprintf("%s and %d other shards", path, len(shards)-1)
	}
	return &model.InputError{Path: path, Fault: NoneKnown, Reason: "have no item that the model knows"}
}

// NoneKnown is the fault of documents without an item that the model knows.
const NoneKnown model.Fault = "none known"

// Names returns the first prominent items of each topic, to read it by.
func Names(m *model.Model) [][]string {
	names := make([][]string, len(m.Prominent))
	for k, listed := range m.Prominent {
		names[k] = m.Names(listed[:min(namedItems, len(listed))])
	}
	return names
}

// TableFiles returns the tables that paths name: files as they are, and of folders those that their manifests list,
// compared with them, or without a manifest all Parquet files in the order of their names. The error is a
// *model.InputError.
func TableFiles(ctx context.Context, paths []string) (files []string, err error) {
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.IsDir() { // a file, or what opening it will complain of
			files = append(files, path)
			continue
		}
		var within []string
		if s, err := openStored(ctx, path); err == nil {
			if within, err = s.tables(ctx); err != nil {
				return nil, err
			}
		} else if refused := new(model.InputError); errors.As(err, &refused) && refused.Fault != "" {
			return nil, err
		} else if within, err = filepath.Glob(filepath.Join(path, "*.parquet")); err != nil {
			return nil, err
		}
		if len(within) == 0 {
			return nil, &model.InputError{Path: path, Reason: "has no Parquet files"}
		}
		files = append(files, within...)
	}
	return files, nil
}

// stored is a directory of documents, with its record.
type stored struct {
	*model.Directory
	Record
	path string
}

// tables returns the paths of the tables, which it compares with the manifest.
func (s *stored) tables(ctx context.Context) (files []string, err error) {
	for _, name := range s.Files {
		if err := s.Verify(ctx, name); err != nil {
			return nil, err
		}
		files = append(files, objects.Join(s.path, name))
	}
	return files, nil
}

// openStored reads the record of a directory. The error is a *model.InputError.
func openStored(ctx context.Context, path string) (*stored, error) {
	var manifest struct {
		Kind      string
		Layout    int
		Documents *Record
	}
	bad := func(reason string) (*stored, error) { return nil, &model.InputError{Path: path, Reason: reason} }
	from, text, err := model.OpenDirectory(ctx, path, "directory of documents")
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return bad("has no readable manifest: " + err.Error())
	}
	switch {
	case manifest.Kind != Kind && manifest.Kind != model.KindModel:
		return bad(fmt.Sprintf("is a directory of kind %q, but documents are needed", manifest.Kind))
	case manifest.Documents == nil:
		return bad("is a model without documents")
	case manifest.Kind == Kind && manifest.Layout != layoutVersion:
		return bad(fmt.Sprintf("has layout %d, but this program reads layout %d", manifest.Layout, layoutVersion))
	case manifest.Documents.Topics < 1 || len(manifest.Documents.Files) == 0:
		return bad("has a manifest that contradicts itself: it has no topics or no tables")
	}
	return &stored{from, *manifest.Documents, path}, nil
}
