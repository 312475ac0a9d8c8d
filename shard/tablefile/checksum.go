// This file computes the checksums of a table's columns, which are in its footer.

package tablefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"reflect"
)

// checksumKey is the key of the footer that lists the checksum of every column: NAME=CRC, separated by blanks.
const checksumKey = "anchorage:crc32c"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// errValues says that the values of a column are not those that were written.
var errValues = errors.New("the file is damaged: its values do not fit the checksum in its footer")

// checksum is the CRC-32C of a column's values: numbers in little-endian order, strings after their length in 8 bytes.
// It does not depend on row groups or on how values are compressed.
type checksum struct {
	sum   uint32
	bytes []byte
}

// summed is the number of bytes that are hashed at a time.
const summed = 32 << 10

// add adds the values of a column.
func (c *checksum) add(column any) {
	if texts, are := column.([]string); are {
		for _, v := range texts {
			c.bytes = append(binary.LittleEndian.AppendUint64(c.bytes, uint64(len(v))), v...)
			if len(c.bytes) > summed {
				c.flush()
			}
		}
		c.flush()
		return
	}
	numbers := reflect.ValueOf(column)
	for from := 0; from < numbers.Len(); from += summed / 8 {
		run := numbers.Slice(from, min(from+summed/8, numbers.Len())).Interface()
		c.bytes, _ = binary.Append(c.bytes, binary.LittleEndian, run) // which knows slices of numbers
		c.flush()
	}
}

// flush hashes the bytes.
func (c *checksum) flush() {
	c.sum = crc32.Update(c.sum, castagnoli, c.bytes)
	c.bytes = c.bytes[:0]
}

// entry returns the text for a column.
func (c *checksum) entry(name string) string { return fmt.Sprintf("%s=%08x", name, c.sum) }
