//go:build race

package fit_test

// methodShards is how many shards of documents all methods are compared on: few under the race detector, which makes
// passes over documents tens of times slower.
const methodShards = 1
