// This file holds what is known of a shard before its values are read.

package documents

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
	// ItemNames is the column of names of a long table whose items are codes.
	ItemNames string `json:"item_names,omitempty"`
	// Words says that text is cut into words.
	Words bool `json:"words,omitempty"`
}
