// This file writes UUIDs, which Parquet stores as 16 bytes, as text.

package pages

import (
	"encoding/hex"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"
)

const (
	uuidBytes = 16
	uuidText  = 36 // 32 digits and 4 hyphens
)

// isUUID reports whether the values of a column are UUIDs.
func isUUID(leaf *schema.Column) bool {
	_, is := leaf.LogicalType().(schema.UUIDLogicalType)
	return is && leaf.PhysicalType() == parquet.Types.FixedLenByteArray && leaf.TypeLength() == uuidBytes
}

// appendUUID appends a UUID of 16 bytes as RFC 9562 writes it: 8, 4, 4, 4 and 12 hexadecimal digits.
func appendUUID(dst, value []byte) []byte {
	start := 0
	for _, end := range [...]int{4, 6, 8, 10, uuidBytes} {
		if start > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, value[start:end])
		start = end
	}
	return dst
}

// writeUUIDs replaces the first n values of a run of UUIDs by their texts.
func (c *ChunkReader) writeUUIDs(n int) {
	if c.uuids == nil {
		return
	}
	for i := range n {
		text := c.uuids[i*uuidText : i*uuidText : (i+1)*uuidText]
		c.Bytes[i] = appendUUID(text, c.Bytes[i])
	}
}
