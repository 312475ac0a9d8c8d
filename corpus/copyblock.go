// This file encodes documents as a block of a compact copy and decodes them. docs/format/corpus.md has the layout.

package corpus

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
)

const (
	blockHeaderSize = 28
	// blockEntries is the number of entries that complete a block. So many documents complete it too, since empty
	// documents take space as well.
	blockEntries = 1 << 17
	// slack is the number of bytes after the last gap that are read and ignored.
	slack = 8
	// escape is the count code of counts above escape. Their own section holds count − (escape+1).
	escape = 3
)

// The word of an entry is gap<<2 | count code. It takes 1, 2, 3 or 5 bytes; its class says which. A control byte holds
// four classes. Control bytes are stored apart from the words, so the decoder knows where the next word begins before
// it has decoded this one. This keeps decoding fast even if the lengths change unpredictably.
var (
	wordSize = [4]int{1, 2, 3, 5}
	wordMask = [4]uint64{1<<8 - 1, 1<<16 - 1, 1<<24 - 1, 1<<34 - 1} // 34 bits hold every gap and its code

	// controlSize is the total size in bytes of the four words that a control byte describes.
	controlSize = func() (sizes [256]uint8) {
		for control := range sizes {
			for shift := 0; shift < 8; shift += 2 {
				sizes[control] += uint8(wordSize[control>>shift&3])
			}
		}
		return sizes
	}()
)

// blockEncoder collects the documents of one block, section by section.
type blockEncoder struct {
	documents int
	entries   int
	lengths   []byte // for each document, the number of its entries
	control   []byte // for each entry, the class of its word
	words     []byte // for each entry, its word
	counts    []byte // for each entry whose count code is escape, its count
}

func (e *blockEncoder) reset() {
	*e = blockEncoder{lengths: e.lengths[:0], control: e.control[:0], words: e.words[:0], counts: e.counts[:0]}
}

// full reports whether the block is complete.
func (e *blockEncoder) full() bool { return e.entries >= blockEntries || e.documents >= blockEntries }

// add appends a document. It panics if the items are not strictly increasing or a count is not positive.
func (e *blockEncoder) add(items, counts []int32) {
	e.lengths = binary.AppendUvarint(e.lengths, uint64(len(items)))
	previous := int32(-1)
	for j, item := range items {
		count := counts[j]
		if item <= previous || count < 1 {
			panic("corpus: a document whose items are not increasing or whose counts are not positive")
		}
		word := uint64(item-previous-1)<<2 | uint64(min(count-1, escape))
		previous = item
		class := 0
		for word > wordMask[class] {
			class++
		}
		if e.entries&3 == 0 {
			e.control = append(e.control, 0)
		}
		e.control[len(e.control)-1] |= byte(class << (2 * (e.entries & 3)))
		for range wordSize[class] {
			e.words = append(e.words, byte(word))
			word >>= 8
		}
		if count > escape {
			e.counts = binary.AppendUvarint(e.counts, uint64(count-escape-1))
		}
		e.entries++
	}
	e.documents++
}

// size returns the size of the block in bytes.
func (e *blockEncoder) size() int64 {
	return blockHeaderSize + int64(len(e.lengths)) + int64(len(e.control)) + int64(len(e.words)) + int64(len(e.counts))
}

// sections returns the header and the payload of the block, in the order in which to write them. number is the block's
// place in the file. The slices are valid until the encoder is used again. The block must be smaller than 4 GiB.
func (e *blockEncoder) sections(number uint32) [][]byte {
	header := make([]byte, 0, blockHeaderSize)
	for _, field := range []int{int(number), e.documents, e.entries, len(e.lengths), len(e.words), len(e.counts)} {
		header = binary.LittleEndian.AppendUint32(header, uint32(field))
	}
	sum := crc32.Checksum(header, castagnoli)
	payload := [][]byte{e.lengths, e.control, e.words, e.counts}
	for _, section := range payload {
		sum = crc32.Update(sum, castagnoli, section)
	}
	return append([][]byte{binary.LittleEndian.AppendUint32(header, sum)}, payload...)
}

// blockHeader is the header of a block.
type blockHeader struct {
	number, documents, entries, lengths, words, counts uint32
}

// control returns the size of the control section.
func (h *blockHeader) control() int64 { return (int64(h.entries) + 3) / 4 }

// blockDocuments returns the number of documents that the header of a block claims, before its checksum is looked at.
func blockDocuments(header []byte) int64 { return int64(binary.LittleEndian.Uint32(header[4:])) }

// parseBlock reads the header of a block. It checks the checksum, the size and the number.
func parseBlock(block []byte, number uint32) (h blockHeader, err error) {
	if len(block) < blockHeaderSize {
		return h, errors.New("it is shorter than its header")
	}
	field := func(i int) uint32 { return binary.LittleEndian.Uint32(block[4*i:]) }
	h = blockHeader{field(0), field(1), field(2), field(3), field(4), field(5)}
	sum := crc32.Checksum(block[:blockHeaderSize-4], castagnoli)
	if crc32.Update(sum, castagnoli, block[blockHeaderSize:]) != field(6) {
		return h, errors.New("its checksum is wrong")
	}
	if h.number != number {
		return h, fmt.Errorf("it is block %d", h.number+1)
	}
	if blockHeaderSize+int64(h.lengths)+h.control()+int64(h.words)+int64(h.counts) != int64(len(block)) {
		return h, errors.New("its sections do not add up to its size")
	}
	// A document takes at least one byte of lengths and an entry at least one byte of words. This bounds what is
	// allocated.
	if h.documents > h.lengths || h.entries > h.words || h.entries > math.MaxInt32 {
		return h, errors.New("its sections are too short for its documents and entries")
	}
	return h, nil
}

// decodeBlock overwrites d with the documents of a block. Every item index must be below items. The capacity of block
// must extend slack bytes beyond its length; their values do not matter.
func decodeBlock(d *Documents, block []byte, number uint32, items int64) error {
	h, err := parseBlock(block, number)
	if err != nil {
		return err
	}
	lengths := block[blockHeaderSize:][:h.lengths]
	control := block[blockHeaderSize+len(lengths):][:h.control()]
	words := block[blockHeaderSize+len(lengths)+len(control):][:h.words]
	counts := block[len(block)-int(h.counts):]

	d.reset(int(h.entries))
	d.Offsets = slices.Grow(d.Offsets, int(h.documents))
	end := uint64(0)
	for range h.documents {
		n, size := binary.Uvarint(lengths)
		if size <= 0 || n > uint64(h.entries)-end {
			return errors.New("the lengths of its documents are wrong")
		}
		lengths = lengths[size:]
		end += n
		d.Offsets = append(d.Offsets, int32(end))
	}
	if end != uint64(h.entries) || len(lengths) > 0 {
		return errors.New("the lengths of its documents are wrong")
	}
	if !controlled(control, int(h.entries), len(words)) {
		return errors.New("its entries do not add up")
	}
	d.Items, d.Counts = d.Items[:h.entries], d.Counts[:h.entries]
	if !decodeEntries(d, control, words[:len(words)+slack], items) {
		return errors.New("it holds an item that the corpus does not have")
	}
	return decodeCounts(d.Counts, counts)
}

// controlled reports whether the control bytes of the given number of entries describe exactly the given number of
// bytes of words.
func controlled(control []byte, entries, words int) bool {
	sum := 0
	for _, b := range control {
		sum += int(controlSize[b])
	}
	if rest := entries & 3; rest > 0 {
		if control[len(control)-1]>>(2*rest) != 0 {
			return false
		}
		sum -= 4 - rest // controlSize counts each unused place of the last byte as a word of 1 byte
	}
	return sum == words
}

// decodeEntries fills Items, and sets Counts to the count code + 1. Offsets must be set. It reports whether all items
// are below the given number. The words must be as long as the control bytes say, with slack bytes after them. Gaps are
// below 2³² and a block has fewer than 2³⁰ entries, so their sum does not overflow.
func decodeEntries(d *Documents, control, words []byte, items int64) bool {
	at := 0
	for m := range d.Documents() {
		start, end := int(d.Offsets[m]), int(d.Offsets[m+1])
		toItems := d.Items[start:end]
		toCounts := d.Counts[start:end][:len(toItems)]
		item := int64(-1)
		for j := range toItems {
			entry := start + j
			class := control[entry>>2] >> (2 * (entry & 3)) & 3
			word := binary.LittleEndian.Uint64(words[at:]) & wordMask[class]
			at += wordSize[class]
			item += int64(word>>2) + 1
			toItems[j] = int32(item)
			toCounts[j] = int32(word&3) + 1
		}
		if item >= items {
			return false
		}
	}
	return true
}

// decodeCounts replaces each escaped count by the next count of the count section.
func decodeCounts(to []int32, counts []byte) error {
	for j, count := range to {
		if count <= escape {
			continue
		}
		more, size := binary.Uvarint(counts)
		if size <= 0 || more > math.MaxInt32-escape-1 {
			return errors.New("its counts are wrong")
		}
		counts = counts[size:]
		to[j] += int32(more)
	}
	if len(counts) > 0 {
		return errors.New("its counts are wrong")
	}
	return nil
}
