// Package documents holds the documents that readers of shards yield: bags of items, in batches, and which counts
// follow from the amounts in files. Package shard calls its types by the same names.
package documents

import (
	"math"

	"anchorage/corpus"
)

// MaxCount is the greatest count of an item in a document.
const MaxCount = math.MaxInt32

// LeftOut counts what readers left out of documents.
type LeftOut = corpus.LeftOut

// Batch is a run of consecutive documents of one shard in compressed sparse rows: document d holds the entries
// Offsets[d] to Offsets[d+1] of Items and Counts. Items are codes into Dictionary, which holds every item id of the
// batch once, in order of first appearance. Within a document no item comes twice. A document may be empty.
//
// A reader fills a batch and overwrites all of it; the caller owns it and may use it again.
type Batch struct {
	FirstRow   int64 // number of the batch's first document within its shard, from 0
	Offsets    []int32
	Items      []int32
	Counts     []int32 // 1 to MaxCount
	Dictionary Dictionary
	// Names are the documents' own ids, one for each, where they were asked for. A name is empty where the shard has none,
	// and names are not distinct if the shard's are not.
	Names Dictionary
	// Texts are how the texts begin whose words the documents are, where they were asked for; empty without a text.
	Texts Dictionary
	// Left is what the reader left out since the batch before. Where it is not zero, the batch may have no document.
	Left LeftOut
}

// Documents returns the number of documents.
func (b *Batch) Documents() int { return max(len(b.Offsets)-1, 0) }

// Dictionary is a list of ids, numbered from 0. In Batch.Dictionary they are distinct. An id is valid UTF-8 of 1 to
// 65,536 bytes, because it will be in columns of strings. An integer id is in it as a canonical decimal number, so an
// item has the same id in every format. The zero value is an empty list.
type Dictionary struct {
	Ends  []int32 // id i is Bytes[Ends[i-1]:Ends[i]]
	Bytes []byte
}

// Len returns the number of ids.
func (d *Dictionary) Len() int { return len(d.Ends) }

// ID returns id i. It aliases the dictionary.
func (d *Dictionary) ID(i int) []byte {
	start := int32(0)
	if i > 0 {
		start = d.Ends[i-1]
	}
	return d.Bytes[start:d.Ends[i]:d.Ends[i]]
}

// Append adds an id.
func (d *Dictionary) Append(id []byte) {
	d.Bytes = append(d.Bytes, id...)
	d.Ends = append(d.Ends, int32(len(d.Bytes)))
}

// Reset empties the dictionary and keeps its memory.
func (d *Dictionary) Reset() {
	d.Ends = d.Ends[:0]
	d.Bytes = d.Bytes[:0]
}

// Description says what a shard holds.
type Description struct {
	Columns []Column `json:"columns,omitempty"` // of Parquet, Arrow and CSV; of JSONL the fields of the first line
	Rows    int64    `json:"rows"`              // -1 if only reading finds it out
	Groups  int      `json:"groups,omitempty"`  // row groups of Parquet, record batches of Arrow
	Writer  string   `json:"writer,omitempty"`  // what a Parquet file says of the program that wrote it
	// First are the first rows of a table, where a choice among its columns is missing.
	First [][]string `json:"first,omitempty"`
}

// Column is a column of a table.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
}

// Mapping says what is taken for documents, items and counts.
type Mapping struct {
	// Long says that a row holds a document and one of its items, in the layouts of Parquet, Arrow and CSV. Otherwise a
	// row or a line is a document.
	Long bool `json:"long,omitempty"`
	// Documents, Items and Counts are columns of tables and fields of JSON; of the parts of lists, "lines.sku". Documents
	// is empty where documents have no ids, Counts where every occurrence of an item counts 1, and Items where columns
	// have no names, or where the shard is empty.
	Documents string `json:"documents,omitempty"`
	Items     string `json:"items,omitempty"`
	Counts    string `json:"counts,omitempty"`
	// Separator is between the fields of CSV, and between the items of baskets, where shard.Blanks is any white space.
	Separator string `json:"separator,omitempty"`
	// ItemSeparator is between the items of a cell of CSV; it is empty where a cell holds one item.
	ItemSeparator string `json:"item_separator,omitempty"`
	// Texts are the columns or fields whose texts are cut into words, with commas between them.
	Texts string `json:"texts,omitempty"`
	// ItemNames is the column of names of a long table or of pairs whose items are codes.
	ItemNames string `json:"item_names,omitempty"`
	// Words says that text is cut into words.
	Words bool `json:"words,omitempty"`
}
