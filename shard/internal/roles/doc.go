// Package roles chooses, among the columns of a table or the fields of an object, those of documents, items and counts:
// by the names that were asked for, else by shape, type and well-known names.
package roles
