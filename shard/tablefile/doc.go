// Package tablefile writes and reads the tables in which results are kept, and writes shards of documents, all as
// Parquet files. The same calls give the same bytes. No value of a table is null.
package tablefile
