// Package store keeps documents and the models that are learned from them, night by night. A store is a directory of
// this machine or a prefix of an object store. It has the compact copy of every shard, a vocabulary that grows,
// generations of models, and states, of which the one with the highest number says what counts. docs/format/store.md
// has the layout.
//
// Open opens a store for reading: its current state, and the model of its current generation. Readers need no lock.
// Begin opens it for writing. A Writer plans which of some shards are new (Plan), reads those (Add), learns a model of
// all (Generate) and puts both into effect by writing the next state (Commit). Until then the store is as it was. What
// an interrupted run had read is taken over by the next run that is given the same content.
//
// The model of a generation has the bytes that model.Fit gives for the same shards in the order of Less, whatever
// updates brought them there. A content counts once: a shard whose content the store has under another name is left
// out.
//
// A Store may be used by several goroutines, a Writer by one.
package store
