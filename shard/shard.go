// This file holds the shard, its parts and how they are opened.

package shard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
)

// Shard is a file of documents. Discover makes it.
type Shard struct {
	Path   string // as given or found
	Format Format // not Auto, unless the shard is bad; see Options.KeepBad
	Size   int64  // bytes on disk

	options  Options
	object   object
	damage   error        // why the format is not known; see Options.KeepBad
	expected *expectation // nil for any digest
}

// Part is a unit of a shard that can be read on its own. The documents of a shard are those of its parts, in order; row
// numbers are those of the shard.
type Part struct {
	Shard Shard
	Index int   // number within the shard, from 0
	Rows  int64 // number of documents; -1 where only reading tells
	Bytes int64 // compressed bytes to be read

	plan     *parquetPlan
	from, to int // row groups of the plan
}

// Parts returns the shard's parts: of a Parquet file one per run of row groups, of any other the whole file. A shard
// without documents may have no part.
func (s Shard) Parts(ctx context.Context) (parts []Part, err error) {
	if s.damage != nil {
		return nil, s.damage
	}
	err = guard(func() (err error) {
		parts, err = s.parts(ctx)
		return err
	})
	return parts, fileError(s.Path, err)
}

func (s Shard) parts(ctx context.Context) ([]Part, error) {
	if s.Format == Parquet {
		return parquetParts(ctx, s)
	}
	return []Part{{Shard: s, Rows: -1, Bytes: s.Size}}, nil
}

// Open returns a reader of the part. Once ctx is done, its Next returns ctx.Err().
func Open(ctx context.Context, part Part) (Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return openWatched(ctx, part, openPart)
}

func openPart(ctx context.Context, part Part) (Reader, error) {
	switch part.Shard.Format {
	case Parquet:
		return openParquet(ctx, part)
	case Docword:
		return openDocword(ctx, part.Shard)
	case Baskets:
		return openBaskets(ctx, part.Shard)
	}
	panic("shard: part without format")
}

// Digest returns the SHA-256 of the file's bytes as a hexadecimal number. It is an *Error if another is expected.
func (s Shard) Digest(ctx context.Context) (string, error) {
	file, err := s.stream(ctx)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	buffer := make([]byte, 1<<20)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		n, err := file.Read(buffer)
		hash.Write(buffer[:n])
		if err == io.EOF {
			sum := hex.EncodeToString(hash.Sum(nil))
			return sum, s.check(sum)
		}
		if err != nil {
			return "", fileError(s.Path, err)
		}
	}
}

// String returns the part's place: path and, where the shard has several parts, the number.
func (p Part) String() string {
	if p.Index == 0 {
		return p.Shard.Path
	}
	return fmt.Sprintf("%s, part %d", p.Shard.Path, p.Index+1)
}
