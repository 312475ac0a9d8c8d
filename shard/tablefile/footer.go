// This file reads and writes the footers of Parquet files.

package tablefile

import (
	"encoding/binary"
	"errors"
	"io"
	"sort"

	"github.com/apache/arrow/go/v17/parquet/metadata"

	"anchorage/shard/internal/pages"
)

// tailBytes are the length of the footer and the magic after it.
const tailBytes = 8

var errShortFooter = errors.New("shard: a footer is cut short")

// footerOf returns the footer at the end of some bytes, and how many of them it and what comes after it take.
func footerOf(end []byte) (footer *metadata.FileMetaData, size int, err error) {
	if len(end) < tailBytes {
		return nil, 0, errShortFooter
	}
	end, tail := end[:len(end)-tailBytes], end[len(end)-tailBytes:]
	length := int(binary.LittleEndian.Uint32(tail))
	if length > len(end) {
		return nil, 0, errShortFooter
	}
	footer, err = metadata.NewFileMetaData(end[len(end)-length:], nil)
	return footer, length + tailBytes, err
}

// writeFooter writes a footer and what comes after it, with the encodings of pages in order.
func writeFooter(to io.Writer, footer *metadata.FileMetaData) error {
	for _, group := range footer.RowGroups {
		for _, chunk := range group.Columns {
			stats := chunk.MetaData.EncodingStats
			sort.SliceStable(stats, func(i, j int) bool {
				a, b := stats[i], stats[j]
				return a.PageType < b.PageType || a.PageType == b.PageType && a.Encoding < b.Encoding
			})
		}
	}
	n, err := footer.WriteTo(to, nil)
	if err != nil {
		return err
	}
	_, err = to.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(n)), pages.Magic...))
	return err
}
