// This file compares all files of a directory with its manifest.

package model

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/shard/tablefile"
)

// Verification is what a look at all files of a directory found.
type Verification struct {
	Kind  string
	Files []VerifiedFile
}

// VerifiedFile is a file that was compared with its checksum. Err says what is wrong with it; nil if nothing is.
type VerifiedFile struct {
	Name string
	Size int64 // bytes that it should have; 0 if that is not known
	Err  error
}

// add adds a file.
func (v *Verification) add(name string, size int64, err error) {
	v.Files = append(v.Files, VerifiedFile{name, size, err})
}

// Verify reads all files of a directory with a manifest, of whatever kind, and compares them with the sizes and digests
// of the manifest: the tables, run.json, and the tables by which a model recommends; and the map of its items with the
// checksums in it. The error is that of ctx, or an
// *InputError if the directory has no readable manifest. Faults of files are in the result.
func Verify(ctx context.Context, path string) (v Verification, err error) {
	complete, err := objects.Exists(ctx, objects.Join(path, durable.Success))
	if err != nil {
		return v, err
	}
	if !complete {
		v.add(durable.Success, 0, &InputError{Path: path, Fault: Incomplete, Reason: "is not complete: it has no " +
			durable.Success})
	}
	file := objects.Join(path, ManifestFile)
	text, err := objects.ReadFile(ctx, file)
	if err != nil {
		return v, &InputError{Path: file, Err: err, Reason: "cannot be read: " + err.Error()}
	}
	var manifest struct {
		Kind    string         `json:"kind"`
		Levels  []LevelRecord  `json:"levels"`
		Outputs []OutputRecord `json:"outputs"`
		Beside  []string       `json:"beside"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		v.add(ManifestFile, 0, &InputError{Path: file, Fault: Damaged, Err: err, Reason: "cannot be read: " + err.Error()})
		return v, nil
	}
	v.Kind = manifest.Kind
	_, err = unsealed(ctx, file, text)
	v.add(ManifestFile, int64(len(text)), err)
	if err := v.listed(ctx, path, manifest.Outputs); err != nil {
		return v, err
	}
	for _, level := range manifest.Levels {
		if err := v.level(ctx, path, level); err != nil {
			return v, err
		}
	}
	for _, name := range []string{runFile, recommendFile} {
		needed := slices.Contains(manifest.Beside, name)
		if name == recommendFile && !needed {
			if needed, err = objects.Exists(ctx, objects.Join(path, neighboursFile)); err != nil {
				return v, err
			}
		}
		if err := v.sealed(ctx, path, name, needed); err != nil {
			return v, err
		}
	}
	places := objects.Join(path, placesFile)
	if there, err := objects.Exists(ctx, places); err != nil || !there {
		return v, err
	}
	_, err = tablefile.Verify(ctx, places)
	v.add(placesFile, 0, err)
	return v, ctx.Err()
}

// listed looks at files that a manifest lists. The error is that of ctx.
func (v *Verification) listed(ctx context.Context, path string, files []OutputRecord) error {
	from := Directory{path, files, unverified(ctx)}
	for _, file := range files {
		err := from.Verify(ctx, file.Name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		v.add(file.Name, file.Size, err)
	}
	return nil
}

// level looks at the directory of a coarser level. Its files have its folder before their names.
func (v *Verification) level(ctx context.Context, path string, record LevelRecord) error {
	folder := objects.Join(path, record.Folder)
	if err := record.in(ctx, path).Verify(ctx, ManifestFile); err != nil {
		v.add(record.Folder+"/"+ManifestFile, record.Size, err)
		return ctx.Err()
	}
	found, err := Verify(ctx, folder)
	for _, file := range found.Files {
		v.add(record.Folder+"/"+file.Name, file.Size, file.Err)
	}
	return err
}

// sealed looks at a file of JSON that carries its own checksum, and the tables that it lists, if it is there. Unless it
// is needed, it may be absent.
func (v *Verification) sealed(ctx context.Context, path, name string, needed bool) error {
	file := objects.Join(path, current(ctx, path, name))
	text, err := objects.ReadFile(ctx, file)
	if errors.Is(err, fs.ErrNotExist) {
		if needed {
			v.add(name, 0, &InputError{Path: file, Fault: Incomplete, Err: err,
				Reason: "is missing, although other files say that it was there"})
		}
		return nil
	}
	if err != nil {
		return err
	}
	object, bad := unsealed(ctx, file, text)
	var record struct{ Tables []OutputRecord }
	if err := json.Unmarshal(object, &record); bad == nil && err != nil {
		bad = &InputError{Path: file, Fault: Damaged, Err: err, Reason: "cannot be read: " + err.Error()}
	}
	if v.add(name, int64(len(text)), bad); bad != nil {
		return nil
	}
	return v.listed(ctx, path, pending(ctx, path, record.Tables))
}
