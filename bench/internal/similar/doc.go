// Package similar measures which vectors of items find substitutes.
//
// The truth is made: an item is split in two, of which every document has one in turn. The two stand for one another and never occur
// together. A model is learned of the split documents, and each half is asked for the items most like it: the other half must be
// among them.
package similar
