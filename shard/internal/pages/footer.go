// This file reads the footer of a Parquet file, finds the bytes of column chunks, and says what the leaves of a
// schema hold. The footer is walked once before Arrow parses it, because Arrow allocates and recurses by numbers
// which the file states.

package pages

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/apache/arrow/go/v17/parquet/metadata"
	"github.com/apache/arrow/go/v17/parquet/schema"
	"github.com/apache/thrift/lib/go/thrift"

	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/columns"
	"anchorage/shard/internal/roles"
)

const (
	// maxFooterBytes is the length of the longest footer.
	maxFooterBytes = 128 << 20
	// maxSchemaElements and maxSchemaDepth bound the tree of columns.
	maxSchemaElements = 1 << 17
	maxSchemaDepth    = 64
)

// ReadFooter returns the metadata of a Parquet file of the given size.
func ReadFooter(file io.ReaderAt, size int64) (*metadata.FileMetaData, error) {
	const tail = 8 // length of the footer and magic
	if size < int64(len(Magic))+tail {
		return nil, fmt.Errorf("a file of %d bytes is too short for Parquet", size)
	}
	var end [tail]byte
	if err := access.ReadFull(file, end[:], size-tail); err != nil {
		return nil, err
	}
	switch string(end[4:]) {
	case string(Magic):
	case "PARE":
		return nil, errors.New("the file is encrypted, which is not supported")
	default:
		return nil, errors.New("the file does not end like Parquet: it is truncated, or of another format")
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	switch {
	case length > size-tail-int64(len(Magic)):
		return nil, fmt.Errorf("the footer should have %d bytes, but the file has %d", length, size)
	case length > maxFooterBytes:
		return nil, fmt.Errorf("the footer has %d bytes; at most %d are possible: write fewer, larger row groups", length,
			maxFooterBytes)
	}
	data := make([]byte, length)
	if err := access.ReadFull(file, data, size-tail-length); err != nil {
		return nil, err
	}
	var footer *metadata.FileMetaData
	err := fault.Guard(func() (err error) {
		if err = checkFooter(data); err == nil {
			footer, err = metadata.NewFileMetaData(data, nil)
		}
		if err == nil && footer.Schema == nil {
			err = errors.New("the schema is malformed")
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("the footer cannot be read: %w", err)
	}
	if footer.IsSetEncryptionAlgorithm() {
		return nil, errors.New("the file is encrypted, which is not supported")
	}
	return footer, nil
}

// checkFooter walks the footer and the tree of its schema.
func checkFooter(data []byte) (err error) {
	defer fault.Catch(&err)
	t := newThriftReader(data)
	var children []int32
	t.fields(func(id int16, kind thrift.TType) {
		if id == 2 && kind == thrift.LIST && children == nil {
			children = schemaChildren(t)
		} else {
			t.skip(kind)
		}
	})
	return checkTree(children)
}

// schemaChildren reads the schema, a list of elements, and returns the number of children of each.
func schemaChildren(t *thriftReader) (children []int32) {
	kind, length, err := t.protocol.ReadListBegin(context.Background())
	if t.check(err); kind != thrift.STRUCT {
		fault.Throw(errThriftBad)
	}
	if length > maxSchemaElements {
		fault.Throw(fmt.Errorf("the schema has %d elements; at most %d are possible", length, maxSchemaElements))
	}
	for range length {
		n := int32(0)
		t.fields(func(id int16, kind thrift.TType) {
			if id == 5 {
				n = t.i32(kind)
			} else {
				t.skip(kind)
			}
		})
		children = append(children, n)
	}
	return children
}

// checkTree checks that children, the numbers of children of a tree's nodes in depth-first order, describe one tree.
func checkTree(children []int32) error {
	if len(children) < 2 {
		return errors.New("the schema has no columns")
	}
	var open []int32 // children still missing, of each node from the root down
	for i, n := range children {
		if i > 0 && len(open) == 0 {
			return errors.New("the schema has more elements than its tree")
		}
		if n < 0 || int(n) > len(children)-1-i {
			return errors.New("the schema has fewer elements than its tree")
		}
		if i > 0 {
			open[len(open)-1]--
		}
		open = append(open, n)
		if len(open) > maxSchemaDepth {
			return fmt.Errorf("the schema is nested more than %d deep", maxSchemaDepth)
		}
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return errors.New("the schema has fewer elements than its tree")
	}
	return nil
}

// OpenFooter opens a file and reads its footer. The caller closes the file.
func OpenFooter(ctx context.Context, path string) (access.Source, *metadata.FileMetaData, error) {
	o, err := access.LookUp(ctx, path, nil)
	if err != nil {
		return nil, nil, err
	}
	file, err := o.Open(ctx)
	if err != nil {
		return nil, nil, err
	}
	footer, err := ReadFooter(file, file.Size())
	if err != nil {
		file.Close()
		return nil, nil, fault.InFile(o.Path, err)
	}
	return file, footer, nil
}

// Magic is at both ends of a file.
var Magic = []byte("PAR1")

// Chunk is a column of a row group.
type Chunk struct {
	Start, End int64 // bytes of the file
	Values     int64 // number of levels
	codec      compress.Compression
}

// PlanChunk finds a column's bytes in a row group of a file of the given size.
func PlanChunk(group *metadata.RowGroupMetaData, index int, leaf *schema.Column, size int64) (plan Chunk, err error) {
	var chunk *metadata.ColumnChunkMetaData
	err = fault.Guard(func() (err error) {
		chunk, err = group.ColumnChunk(index)
		if err != nil {
			return err
		}
		start := chunk.DataPageOffset()
		if chunk.HasDictionaryPage() && chunk.DictionaryPageOffset() > 0 && chunk.DictionaryPageOffset() < start {
			start = chunk.DictionaryPageOffset()
		}
		plan = Chunk{Start: start, Values: chunk.NumValues(), codec: chunk.Compression()}
		length := chunk.TotalCompressedSize()
		if start < int64(len(Magic)) || length < 0 || start > size || length > size-start {
			return fmt.Errorf("its %d bytes at offset %d are not within the file of %d bytes", length, start, size)
		}
		plan.End = start + length
		return nil
	})
	switch {
	case err != nil:
		return plan, err
	case chunk.CryptoMetadata() != nil:
		return plan, errors.New("the column is encrypted, which is not supported")
	case chunk.FilePath() != "":
		return plan, errors.New("the column is in another file, which is not supported")
	case chunk.Type() != leaf.PhysicalType():
		return plan, fmt.Errorf("the row group says %v, the schema %v", chunk.Type(), leaf.PhysicalType())
	case plan.Values < 0:
		return plan, fmt.Errorf("the number of values %d is impossible", plan.Values)
	}
	return plan, checkCodec(plan.codec)
}

// LeafOf describes leaf number index, of a column called name.
func LeafOf(s *schema.Schema, name string, index int) *columns.Leaf {
	c := s.Column(index)
	l := &columns.Leaf{Name: name, Index: index, Kind: KindOf(c), Most: c.MaxDefinitionLevel(),
		Narrow: c.PhysicalType() == parquet.Types.Int32 || c.PhysicalType() == parquet.Types.Float}
	l.Scale, l.Decimal = decimalOf(c)
	return l
}

// Repeated follows the only children from a node down to a repeated one and to its elements. element is the definition
// level from which an element is there; pairs is the group that an element is, nil where it is a single value. ok is
// false where the node is no list.
func Repeated(node schema.Node) (element int16, pairs *schema.GroupNode, ok bool) {
	defined := int16(0)
	for depth := 0; depth < 4; depth++ {
		switch node.RepetitionType() {
		case parquet.Repetitions.Repeated:
			defined++
			element = defined
		case parquet.Repetitions.Optional:
			defined++
		}
		group, isGroup := node.(*schema.GroupNode)
		if !isGroup {
			return element, nil, element > 0
		}
		if group.NumFields() != 1 {
			return element, group, element > 0 && group.NumFields() > 1
		}
		node = group.Field(0)
	}
	return 0, nil, false
}

// decimalOf returns the number of digits after the point of a column of decimals that can be read.
func decimalOf(leaf *schema.Column) (scale int, ok bool) {
	decimal, is := leaf.LogicalType().(*schema.DecimalLogicalType)
	if !is || decimal.Scale() < 0 || decimal.Scale() > bag.MaxScale {
		return 0, false
	}
	switch leaf.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Int64, parquet.Types.ByteArray:
		return int(decimal.Scale()), true
	case parquet.Types.FixedLenByteArray:
		return int(decimal.Scale()), leaf.TypeLength() > 0 && leaf.TypeLength() <= bag.MaxDecimalBytes
	}
	return 0, false
}

// KindOf returns what the values of a column are.
func KindOf(leaf *schema.Column) roles.Kind {
	if scale, ok := decimalOf(leaf); ok && scale == 0 {
		return roles.WholeDecimal
	} else if ok {
		return roles.Decimal
	}
	if isUUID(leaf) {
		return roles.Bytes
	}
	logical, physical := leaf.LogicalType(), leaf.PhysicalType()
	whole := physical == parquet.Types.Int32 || physical == parquet.Types.Int64
	integer, isInt := logical.(*schema.IntLogicalType)
	switch logical.(type) {
	case schema.DateLogicalType, *schema.TimestampLogicalType, schema.TimestampLogicalType:
		if whole {
			return roles.Time
		}
	case schema.StringLogicalType, schema.EnumLogicalType:
		if physical == parquet.Types.ByteArray {
			return roles.Bytes
		}
	}
	switch plain := IsPlain(logical); {
	case whole && isInt && !integer.IsSigned():
		return roles.Uint
	case whole && (isInt || plain):
		return roles.Int
	case (physical == parquet.Types.Float || physical == parquet.Types.Double) && (isInt || plain):
		return roles.Float
	case physical == parquet.Types.ByteArray && plain:
		return roles.Bytes
	}
	return roles.Other
}

// IsPlain reports whether a column says nothing about its values beyond their physical type.
func IsPlain(logical schema.LogicalType) bool {
	switch logical.(type) {
	case nil, schema.NoLogicalType, schema.UnknownLogicalType:
		return true
	}
	return false
}
