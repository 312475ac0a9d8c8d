// Package parquet reads documents from Parquet files: from a row per document, with items in a list, map or list of
// structs, or from long tables. Package pages does the decoding.
package parquet
