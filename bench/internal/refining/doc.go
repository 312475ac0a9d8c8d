// Package refining measures what the refinement of topics is worth: how well people can read them, and how well they predict documents
// that were held out, by what they are refined for and how much they are held to the topics that were found first.
package refining
