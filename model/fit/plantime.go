// This file holds how much of what Calibrate measures the stages of a fit take.

package fit

// The parts are numbers of operations at a calibrated rate, per unit of the work of a stage: so many times the rate for each entry and
// column, say. They come from the runs of bench/results/plan, on the machine that it names.
const (
	readPart     = 0.7    // processor time of the sample, per entry; the sample makes smaller batches
	gatherPart   = 1.7    // Gather: per pass, entry and column: a row is read and another changed, and entries are sorted
	squarePart   = 19     // Multiply: per pass, item and square of columns: products in double precision with a basis of several blocks
	evidencePart = 4.1    // Gather: per entry and topic
	correctPart  = 2.7    // Multiply: per iteration, item, column of the corrections and topic
	anchorPart   = 90     // Multiply: per item and square of topics
	anchorRow    = 17_500 // Multiply: per item and topic
	writePart    = 9_700  // the same
	rowsPart     = 35     // Gather: per entry, for the anchors' rows; most of it is decoding
	refinePart   = 27     // Local: per pass, entry that is kept, and topic; documents take several steps
	diagnosePart = 24     // Local: per entry of the sample, and topic
	renewPart    = 500    // Multiply: per part of an epoch, item and topic
)
