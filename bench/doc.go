// Package bench measures: the tables and charts of the papers, what is recovered of a known truth, and how a run scales.
// Its results are written as tables (Parquet, CSV, Markdown) and charts (SVG), with the command that made them.
package bench
