// This file gives types and functions of other packages the names that they have here.

package shard

import (
	"io"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/text"
)

type (
	// Batch is a run of consecutive documents, which Reader.Next fills.
	Batch = documents.Batch
	// Dictionary is a list of ids.
	Dictionary = documents.Dictionary
	// CountRule says which counts follow from the amounts in shards.
	CountRule = documents.CountRule
	// LeftOut counts what readers left out: items by Options.Counts, rows by Options.MaxBadRows.
	LeftOut = documents.LeftOut
	// Column is a column of a table.
	Column = documents.Column
	// Error is bad input: a shard that cannot be read, or holds what no document may hold.
	Error = fault.Error
)

// The signs in front of decimals, as CountRule.Decimal has them.
const (
	DecimalPoint = documents.DecimalPoint
	DecimalComma = documents.DecimalComma
)

// MaxCount is the greatest count of an item in a document.
const MaxCount = documents.MaxCount

// ParseCountRule returns the rule of a list of words, which commas separate: "round,drop-negative" for example.
func ParseCountRule(text string) (CountRule, error) { return documents.ParseCountRule(text) }

// CountRuleWords lists the words that ParseCountRule takes, for help and messages.
func CountRuleWords() string { return documents.CountRuleWords() }

// ReadWords reads a word list, as Options.DocwordVocab names one: one word per line, none empty and none twice, or what
// gensim's Dictionary.save_as_text writes, in the order of its numbers. An error is an *Error about path.
func ReadWords(path string, from io.Reader) (*Dictionary, error) { return text.ReadWords(path, from) }
