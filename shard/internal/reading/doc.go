// Package reading holds what package shard and the readers of single formats exchange: how a shard is to be read,
// the parts it consists of, and what is known of it.
package reading
