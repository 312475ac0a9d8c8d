// Package columns reads documents from files that store columns: from a row per document, with items in a list, map or
// list of structs, or from long tables. The packages of single formats describe a File and decode its columns, group by
// group, into runs of levels and values as Parquet has them; what the runs mean is known here only.
package columns
