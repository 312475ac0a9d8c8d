// Package fit learns models from documents, stage by stage.
//
// Fit runs all stages, and refines the topics. Sketch makes passes over a corpus and finds the leading eigenpairs of
// its co-occurrence matrix C (Sketched). Rectify turns them into a factor Y (Rectified). Anchor finds the topics
// (Fitted). Each stage uses up the result of the one before, so N×K arrays exist only once. Each result can be saved as
// a directory and loaded again; single stages write the same files as a whole run without refinement. The Method
// determines which functions the stages call. Bayes learns by variational inference instead, and also returns a Fitted.
//
// Results are equal, bit for bit, for any number of workers. The result of a stage belongs to one goroutine.
package fit
