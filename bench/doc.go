// Package bench measures: the tables and charts of the papers, what is recovered of a known truth, how near the kernels
// come to the machine's peak, how a run scales, and topics beside those of other methods, each run in a process of its own.
// Its results are written as tables (Parquet, CSV, Markdown) and charts (SVG), with the command that made them.
package bench
