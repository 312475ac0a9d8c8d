// Package text reads documents from the formats of text: lines of baskets, words, JSON, SVMlight and LDA-C, CSV tables,
// and the entries of docword and Matrix Market files. It also recognises them by their beginnings.
//
// Readers hold one block of lines, and one batch. Lines have a greatest length.
package text
