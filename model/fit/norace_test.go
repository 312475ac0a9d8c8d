//go:build !race

package fit_test

// methodShards is how many shards of documents all methods are compared on.
const methodShards = 4
