// This file keeps the names under which the picking of items, which is package anchor's, was known here.

package model

import "anchorage/anchor"

// Scored is an item with what it was picked by.
type Scored = anchor.Scored

// Findings is what the reader of a model should know.
type Findings = anchor.Findings

// Prominent is anchor.Topics.Prominent.
func Prominent(t *anchor.Topics, p []float64, lambda float64, count int) [][]Scored {
	return t.Prominent(p, lambda, count)
}

// Characteristic is anchor.Topics.Characteristic.
func Characteristic(t *anchor.Topics, count int) [][]Scored { return t.Characteristic(count) }
