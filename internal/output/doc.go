// Package output writes the results of a program, to a path of this machine or to the URL of an object store. Whatever
// fails, a result is complete or absent.
//
// Package durable writes paths. Files for a store are collected in the temporary folder of the system and uploaded;
// package objects says what URLs look like and what is tried again. The caller's Warn is told of every retry; nil means
// silence. Nothing is logged here.
//
// CheckPlace and Replaceable say where an output may be, and what it may take the place of: nothing that another
// program or a person has made is ever removed.
//
// A context bounds everything before the commit: after it is cancelled, nothing is left of the output. A commit that
// has begun runs to its end, or to the end of its lease in a store.
package output
