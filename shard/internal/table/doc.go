// Package table writes and reads tables of plain values and of lists of one length, and writes shards of documents, all
// as Parquet files. The same calls give the same bytes.
package table
