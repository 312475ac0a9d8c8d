// Package longtable makes documents of long tables, which have one row per document and item. It checks that the rows
// of a document are adjacent, or sorts them first.
package longtable
