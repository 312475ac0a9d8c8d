// This file reads the folders of shards: the record, and the items of a shard.

package store

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/shard/tablefile"
)

// Content is what a store holds of a shard: shard.json.
type Content struct {
	Layout  int    `json:"layout"`
	Program string `json:"program"`
	Path    string `json:"path"` // from which it was read
	Size    int64  `json:"size"`
	SHA256  string `json:"sha256"`
	// Reading is the SHA-256 of the options that it was read with; see AddOptions.
	Reading   string         `json:"reading"`
	Mapping   shard.Mapping  `json:"mapping"`
	Documents int64          `json:"documents"`
	Entries   int64          `json:"entries"`
	Tokens    int64          `json:"tokens"`
	Items     int            `json:"items"` // distinct ones
	Tally     corpus.Tally   `json:"tally"`
	LeftOut   corpus.LeftOut `json:"left_out,omitzero"`
	// Segments and Chain say by which vocabulary the items are numbered.
	Segments int                  `json:"segments"`
	Chain    string               `json:"chain"`
	Files    []model.OutputRecord `json:"files"`
}

// itemFields are the columns of items.parquet: the items of a shard in order of appearance.
var itemFields = []tablefile.Field{{Name: "number", Type: tablefile.Int32}, {Name: "df", Type: tablefile.Int64},
	{Name: "tf", Type: tablefile.Int64}}

// itemCount is a row of items.parquet.
type itemCount struct {
	number int32
	df, tf int64
}

// readContent reads the record of a folder, which must be complete, and returns it with its SHA-256. If want is not
// empty, the record must have that hash.
func readContent(ctx context.Context, folder, want string) (*Content, string, error) {
	whole, err := objects.Exists(ctx, objects.Join(folder, durable.Success))
	if err != nil {
		return nil, "", err
	}
	if !whole {
		return nil, "", &Error{Path: folder, Fault: Damaged, Reason: "is missing or incomplete", Err: fs.ErrNotExist}
	}
	path := objects.Join(folder, recordFile)
	data, err := objects.ReadFile(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", &Error{Path: path, Fault: Damaged, Reason: "is missing", Err: err}
	}
	if err != nil {
		return nil, "", err
	}
	if want != "" && Digest(data) != want {
		return nil, "", damaged(path, "its SHA-256 is not that of the state")
	}
	c := new(Content)
	if err := json.Unmarshal(data, c); err != nil {
		return nil, "", damaged(path, "%v", err)
	}
	if c.Layout != layoutVersion {
		return nil, "", otherLayout(path, c.Layout)
	}
	return c, Digest(data), nil
}

// file returns the record of a file.
func (c *Content) file(name string) model.OutputRecord {
	for _, f := range c.Files {
		if f.Name == name {
			return f
		}
	}
	return model.OutputRecord{Name: name, Size: -1}
}

// eachItem calls fn with the items of a shard in order of appearance, after it has compared the table with the record.
func (c *Content) eachItem(ctx context.Context, folder string, fn func(itemCount) error) error {
	path := objects.Join(folder, itemsFile)
	if err := checkFile(ctx, path, c.file(itemsFile)); err != nil {
		return err
	}
	rows := 0
	err := tablefile.Read(ctx, path, itemFields, func(_ int64, columns []any) error {
		numbers, df, tf := columns[0].([]int32), columns[1].([]int64), columns[2].([]int64)
		rows += len(numbers)
		for i, number := range numbers {
			if err := fn(itemCount{number, df[i], tf[i]}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && rows != c.Items {
		err = damaged(path, "it has %d items, and %s says %d", rows, recordFile, c.Items)
	}
	return err
}

// writeItems writes items.parquet.
func writeItems(w io.Writer, items []itemCount) error {
	return tablefile.WriteTable(w, itemFields, len(items), segmentRows, func(first, last int) ([]any, error) {
		numbers, df, tf := make([]int32, last-first), make([]int64, last-first), make([]int64, last-first)
		for i, row := range items[first:last] {
			numbers[i], df[i], tf[i] = row.number, row.df, row.tf
		}
		return []any{numbers, df, tf}, nil
	})
}

// hashed is the record of a file of which only the hash is known.
func hashed(sha256 string) model.OutputRecord { return model.OutputRecord{Size: -1, SHA256: sha256} }

// checkFile returns an *Error unless a file has the size and the hash of its record.
func checkFile(ctx context.Context, path string, record model.OutputRecord) error {
	sha256, size, err := objects.Digest(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = &Error{Path: path, Fault: Damaged, Reason: "is missing", Err: err}
	case err != nil:
	case record.Size >= 0 && size != record.Size:
		err = damaged(path, "it has %d bytes, and had %d", size, record.Size)
	case sha256 != record.SHA256:
		err = damaged(path, "its SHA-256 is %s, and was %s", sha256, record.SHA256)
	}
	return err
}

// copyOf opens the compact copy in a folder of this machine and compares it with the record.
func (c *Content) copyOf(path string) (*corpus.Copy, error) {
	opened, err := corpus.OpenCopyAt(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{Path: path, Fault: Damaged, Reason: "is missing", Err: err}
	}
	if err != nil {
		return nil, err
	}
	if opened.Documents() != c.Documents || opened.Entries() != c.Entries || opened.Tokens() != c.Tokens {
		return nil, damaged(path, "it has %d documents and %d entries, and %s says %d and %d", opened.Documents(),
			opened.Entries(), recordFile, c.Documents, c.Entries)
	}
	return opened, nil
}

// Mapping returns how the first shard with documents was read, and its path; false if there is none.
func (s *Store) Mapping(ctx context.Context) (path string, mapping shard.Mapping, found bool, err error) {
	for _, known := range s.State.Shards {
		if known.Documents == 0 {
			continue
		}
		c, _, err := readContent(ctx, s.shardFolder(known.SHA256), known.Record)
		if damage := new(Error); errors.As(err, &damage) && damage.Fault == Damaged {
			continue // an update may heal it; the next one was read likewise
		}
		if err != nil {
			return "", mapping, false, err
		}
		return known.Path, c.Mapping, true, nil
	}
	return "", mapping, false, nil
}
