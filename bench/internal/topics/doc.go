// Package topics compares the topics of several methods, ours and those of other programs, on the same documents and items.
package topics
