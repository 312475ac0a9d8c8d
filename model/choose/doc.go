// Package choose finds out how many topics documents show, and what fits with other numbers of topics would be like.
//
// Spectrum counts: the co-occurrences of documents that were drawn from K topics have K eigenvalues that are not 0, in
// expectation. The sample adds noise. The greatest eigenvalue of pure noise is measured by multiplying documents with
// random numbers of mean 0, so that what they have in common cancels; the eigenvalues above that edge are topics.
// docs/choose.md has the method, how often it is right, and where it fails.
//
// Topics also solves several numbers of topics from one sketch and measures each: a table and a chart for whoever
// decides.
//
// Results depend on the documents, their order, the options and the seed, and not on the number of workers. Documents
// are known by their numbers where they are multiplied and held out.
package choose
