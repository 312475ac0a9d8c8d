// Package pages decodes the columns of Parquet files: footers, pages, levels and values. It knows nothing of documents.
//
// Every size and count that a file states is checked against the bytes that are there, and against fixed limits, before
// memory is set aside for it. Levels and values are decoded in runs of at most RunValues, in bulk. Arrow parses the
// footer, after it has been checked.
package pages
