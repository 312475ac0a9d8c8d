// Package read measures how fast shards are read, against reading and decompressing the same bytes.
package read
