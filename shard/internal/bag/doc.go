// Package bag builds batches of documents. A document is a bag of items: distinct ids, each with a count of 1 to
// MaxCount.
//
// A Builder takes items by bytes or by number and gives each a code, the place of its id in the batch's dictionary. Its
// memory is reused from batch to batch, so a long run of batches allocates nothing once everything has reached its
// size. The package also holds the limits of ids and counts, and parses the numbers of text.
package bag
