// Package shard turns files into batches of documents, and tables into Parquet files. It knows formats and nothing of
// what is done with them.
//
// A document is a bag of items: distinct item ids, each with a count of at least 1. Discover finds shards, Shard.Parts
// divides them, and Open reads a part. Readers stream: their memory is bounded by the size of a batch and of the
// longest document, in Parquet also by the size of pages and in Arrow by windows of the buffers, never by the size of a
// file, a row group or a record batch. Options.Group sorts within Options.MemoryLimit, and on disk beyond it. A Reader
// belongs to one goroutine; different Readers may be used at the same time, also on the same shard. The package starts
// no goroutines.
//
// Input is not trusted. Whatever a file holds, reading it yields documents or an *Error that says where. Sizes and
// counts that a file states are checked before memory is allocated for them, and a panic of a decoder is recovered. The
// limits: item ids of 64 KiB, 16.7 million distinct items per document, lines of 256 MiB in baskets and 64 MiB in other
// formats, records of 1 MiB in CSV, Parquet pages of 256 MiB and 16.7 million values, dictionaries of 64 MiB in Parquet
// and 1 GiB in Arrow, windows of 128 MiB in zstd.
//
// The table of formats in formats.go is all that this package knows of single formats; the packages in shard/internal
// read them, and only they import Arrow. None of their types appears in the exported API.
//
// Tables hold the program's own results: NewTableWriter and ReadTable. DocumentWriter writes shards.
package shard
