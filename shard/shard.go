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
	Reason string // how the format was found: "content: ..." or "name: ..." and what in them told, or "given"
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

	plan     *parquetPlan // of a Parquet shard
	arrow    *arrowPlan   // of an Arrow shard
	from, to int          // row groups or record batches of the plan
}

// Parts returns the shard's parts: of a Parquet or Arrow file one per run of row groups or record batches, of a long table
// and of any other format the whole file. A shard without documents may have no part.
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
	switch s.Format {
	case Parquet:
		return parquetParts(ctx, s)
	case Arrow:
		return arrowParts(ctx, s)
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
		return openParquetPart(ctx, part)
	case Docword, MatrixMarket:
		return openDocword(ctx, part.Shard)
	case Baskets:
		return openBaskets(ctx, part.Shard)
	case Arrow:
		return openArrow(ctx, part)
	case CSV:
		return openCSV(ctx, part.Shard)
	case JSONL:
		return openJSONL(ctx, part.Shard)
	case Text:
		return openTokenized(ctx, part.Shard)
	case LibSVM:
		return openLibSVM(ctx, part.Shard)
	case LDAC:
		return openLDAC(ctx, part.Shard)
	case VW:
		return openVW(ctx, part.Shard)
	}
	panic("shard: part without format")
}

// openParquetPart opens a part of a Parquet shard in its layout.
func openParquetPart(ctx context.Context, part Part) (Reader, error) {
	if part.plan.long {
		return openParquetLong(ctx, part)
	}
	r, err := openParquet(ctx, part)
	if err == nil && part.plan.document != nil {
		r, err = openNamed(ctx, part, r)
	}
	return r, err
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
