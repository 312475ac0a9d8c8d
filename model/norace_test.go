//go:build !race

package model_test

// methodShards is how many shards of documents all methods are compared on.
const methodShards = 4
