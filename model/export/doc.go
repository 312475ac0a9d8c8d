// Package export writes models in the forms that other programs read: pyLDAvis, gensim, word2vec, NumPy and CSV.
// docs/export.md says what each form has.
//
// N is the number of items, K of topics. Items are in the order of the model's vocabulary, topics in that of its
// tables. An output is complete or absent, and equal models give equal bytes.
package export
