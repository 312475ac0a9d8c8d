// Package shard turns files into batches of documents, and tables into Parquet files. It knows formats and nothing of
// what is done with them, and it is the only package that imports Arrow.
//
// A document is a bag of items: distinct item ids, each with a count of at least 1. Discover finds shards, Shard.Parts
// divides them, Open reads a part. Readers are streaming: their memory is bounded by the size of a batch and of the
// longest document, in Parquet by the size of pages and in Arrow by windows of the buffers, not by the size of a file, a row
// group or a record batch; Options.Group sorts within Options.MemoryLimit, and on disk. A Reader belongs to one
// goroutine; different Readers may be used at the same time, also on the same shard. Nothing here starts a goroutine.
//
// Input is not trusted. Whatever a file holds, reading it ends in documents or in an *Error that says where; sizes and
// counts which a file states are checked before memory is set aside for them, and a panic of a decoder is recovered. The
// limits: item ids of 64 KiB, 16.7 million distinct items per document, lines of 256 MiB in baskets and 64 MiB in other
// formats, records of 1 MiB in CSV, Parquet pages of 256 MiB and 16.7 million values, dictionaries of 64 MiB in Parquet and
// 1 GiB in Arrow, windows of 128 MiB in zstd.
//
// Tables hold the program's own results: NewTableWriter and ReadTable. DocumentWriter writes shards.
package shard
