// Package nights rehearses a store over many nights: a corpus comes in shards, some on the first night and one on each of the others,
// and an update follows each. It measures what updates take and what becomes of the topics, and every so many nights holds the update
// against a fit from scratch.
package nights
