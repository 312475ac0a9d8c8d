// Package sorter sorts records by key, stably, within a given amount of memory and beyond that in files.
package sorter
