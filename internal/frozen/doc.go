// Package frozen holds the test that directories which an earlier program wrote still load and answer as they did. They
// are in testdata/frozen: a sketch, a factor, a model and a store, with the documents that they are of, and golden.json
// with the answers.
//
// A change of a layout gets another number for it, and the old one stays readable or is refused: docs/contributing.md
// says what that takes.
package frozen
