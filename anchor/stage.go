// This file names the stages of the inference, so that a caller can see where its time goes.

package anchor

// Stage is a part of LAW and AW. The work before the first stage prepares it.
type Stage string

// The stages in their order. With Polish, the corrections and mixtures come twice.
const (
	StagePivots      Stage = "pivots"      // the selection of the anchors
	StageCorrections Stage = "corrections" // of negative entries; LAW alone
	StageMixtures    Stage = "mixtures"    // the N problems on the simplex
	StageTopics      Stage = "topics"      // everything that follows from the mixtures
)

// begin reports that a stage begins.
func (o *Options) begin(stage Stage) {
	if o.Report != nil {
		o.Report(stage)
	}
}
