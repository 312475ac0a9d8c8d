// This file compares all files of a directory with its manifest.

package model

import (
	"context"
	"encoding/json"
	"errors"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/shard/tablefile"
)

// verifier takes a file that was compared with its checksum; see Verify.
type verifier func(name string, size int64, err error)

// Verify reads all files of a directory with a manifest, of whatever kind, and compares them with the sizes and digests
// of the manifest: the tables, run.json, and the tables by which a model recommends; and the map of its items with the
// checksums in it. It calls add with the name of each file, the bytes that it should have, 0 if that is not known, and
// what is wrong with it, nil if nothing is; and it returns the kind of the directory. The error is that of ctx, or an
// *InputError if there is no readable manifest.
func Verify(ctx context.Context, path string, add func(name string, size int64, err error)) (kind string, err error) {
	v := verifier(add)
	complete, err := objects.Exists(ctx, objects.Join(path, durable.Success))
	if err != nil {
		return kind, err
	}
	if !complete {
		v(durable.Success, 0, &InputError{Path: path, Fault: Incomplete, Reason: "is not complete: it has no " +
			durable.Success})
	}
	file := objects.Join(path, ManifestFile)
	text, err := objects.ReadFile(ctx, file)
	if err != nil {
		return "", &InputError{Path: file, Err: err, Reason: "cannot be read: " + err.Error()}
	}
	var manifest struct {
		Kind    string         `json:"kind"`
		Levels  []LevelRecord  `json:"levels"`
		Outputs []OutputRecord `json:"outputs"`
		Beside  []string       `json:"beside"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		v(ManifestFile, 0, &InputError{Path: file, Fault: Damaged, Err: err, Reason: "cannot be read: " + err.Error()})
		return "", nil
	}
	kind = manifest.Kind
	_, err = unsealed(ctx, file, text)
	v(ManifestFile, int64(len(text)), err)
	if err := v.listed(ctx, path, manifest.Outputs); err != nil {
		return kind, err
	}
	for _, level := range manifest.Levels {
		if err := v.level(ctx, path, level); err != nil {
			return kind, err
		}
	}
	for _, name := range []string{runFile, recommendFile} {
		if err := v.beside(ctx, path, name, manifest.Beside); err != nil {
			return kind, err
		}
	}
	places := objects.Join(path, placesFile)
	if there, err := objects.Exists(ctx, places); err != nil || !there {
		return kind, err
	}
	_, err = tablefile.Verify(ctx, places)
	v(placesFile, 0, err)
	return kind, ctx.Err()
}

// listed looks at files that a manifest lists. The error is that of ctx.
func (v verifier) listed(ctx context.Context, path string, files []OutputRecord) error {
	from := Directory{path, files, unverified(ctx)}
	for _, file := range files {
		err := from.Verify(ctx, file.Name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v(file.Name, file.Size, err)
	}
	return nil
}

// level looks at the directory of a coarser level. Its files have its folder before their names.
func (v verifier) level(ctx context.Context, path string, record LevelRecord) error {
	folder := objects.Join(path, record.Folder)
	if err := record.in(ctx, path).Verify(ctx, ManifestFile); err != nil {
		v(record.Folder+"/"+ManifestFile, record.Size, err)
		return ctx.Err()
	}
	_, err := Verify(ctx, folder, func(name string, size int64, err error) { v(record.Folder+"/"+name, size, err) })
	return err
}

// beside looks at a file of JSON that carries its own checksum, and the tables that it lists, if it is there; see
// readBeside.
func (v verifier) beside(ctx context.Context, path, name string, beside []string) error {
	var record struct{ Tables []OutputRecord }
	size, err := readBeside(ctx, path, name, beside, &record)
	if size == 0 && !errors.As(err, new(*InputError)) { // it is not there, or cannot be read
		return err
	}
	if v(name, int64(size), err); err != nil {
		return nil
	}
	return v.listed(ctx, path, pending(ctx, path, record.Tables))
}
