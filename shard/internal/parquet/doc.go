// Package parquet describes Parquet files to package columns, which reads documents from them. Package pages does the
// decoding.
package parquet
