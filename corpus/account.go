// This file records what was read from a corpus's input and what was left out.

package corpus

import (
	"cmp"
	"fmt"
)

// Account records how documents were read and what was left out. Manifests contain its JSON form.
type Account struct {
	VocabularySHA256 string  `json:"vocabulary_sha256"` // Vocabulary.Fingerprint
	FixedVocabulary  bool    `json:"fixed_vocabulary"`
	Kind             Kind    `json:"kind,omitempty"` // what the documents are like; empty if they were not read
	KindBecause      string  `json:"kind_because,omitempty"`
	MinDF            int64   `json:"min_df"`
	MaxDFRatio       float64 `json:"max_df_ratio"`
	Lowered          bool    `json:"lowered,omitempty"` // the limits of the kind would have left next to nothing
	MaxItems         int     `json:"max_items"`
	Stopwords        int     `json:"stopwords"`
	MinItems         int     `json:"min_items"`
	MinTokens        int     `json:"min_tokens"`
	DocumentsRead    int64   `json:"documents_read"`
	Documents        int64   `json:"documents"` // M
	Items            int     `json:"items"`     // N
	Entries          int64   `json:"entries_read"`
	Tokens           int64   `json:"tokens_read"`
	UnknownTokens    int64   `json:"unknown_tokens"`
	Pruned           Pruned  `json:"pruned"`
	Dropped          Dropped `json:"dropped"`
	LeftOut          LeftOut `json:"left_out,omitzero"`
}

// LeftOut counts what the reading of the input left out, as it was asked to.
type LeftOut struct {
	Negative int64  `json:"negative,omitempty"`   // items with amounts below 0
	Zero     int64  `json:"zero,omitempty"`       // items with amounts of 0
	Empty    int64  `json:"empty,omitempty"`      // items without amounts
	Totals   int64  `json:"total_rows,omitempty"` // rows of totals below tables
	Bad      int64  `json:"bad_rows,omitempty"`   // rows that cannot be read
	First    string `json:"first_bad_row,omitempty"`
}

// Any reports whether anything was left out.
func (l LeftOut) Any() bool { return l != LeftOut{First: l.First} }

// Add adds what was left out later.
func (l *LeftOut) Add(later LeftOut) {
	l.Negative += later.Negative
	l.Zero += later.Zero
	l.Empty += later.Empty
	l.Totals += later.Totals
	l.Bad += later.Bad
	l.First = cmp.Or(l.First, later.First)
}

// Add adds the documents of another account. Both must have the same vocabulary and rules.
func (a *Account) Add(other Account) {
	a.DocumentsRead += other.DocumentsRead
	a.Documents += other.Documents
	a.Entries += other.Entries
	a.Tokens += other.Tokens
	a.UnknownTokens += other.UnknownTokens
	a.Dropped.Add(other.Dropped)
	a.LeftOut.Add(other.LeftOut)
}

// Input is a file that documents were read from.
type Input struct {
	Path      string `json:"path"`
	Size      int64  `json:"size"`   // bytes
	SHA256    string `json:"sha256"` // of the bytes, in hexadecimal
	Documents int64  `json:"documents"`
}

// Skipped is a file that was left out because it could not be read.
type Skipped struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Lack says why nothing can be learned from a corpus.
type Lack int

// The reasons.
const (
	NoDocuments       Lack = iota // the input holds no documents
	NoItems                       // the documents hold no items
	AllItemsPruned                // Pruning leaves no items
	AllDocumentsShort             // no document has enough items and tokens
	SingleItems                   // most documents have a single item
	TooFewItems                   // fewer items than topics
	TooFewDocuments               // fewer documents than topics
	BadDocument                   // a caller's document is malformed
	Miscounted                    // more documents have an item than its vocabulary counts
)

// DataError reports input that can be read, but from which nothing can be learned.
type DataError struct {
	Lack   Lack
	Reason string
}

// Error returns the reason, with the figures.
func (e *DataError) Error() string { return e.Reason }

func lacks(lack Lack, format string, args ...any) error {
	return &DataError{Lack: lack, Reason: fmt.Sprintf(format, args...)}
}
