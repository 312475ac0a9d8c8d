// This file takes topics to checkpoints and back.

package anchor

import (
	"anchorage/checkpoint"
	"anchorage/matrix"
)

// Checkpoint takes the topics to a checkpoint or from one, but not the matrix that they were found in: topics that are read are given it
// again, as a factor or, for AW, as a dense C; the other is nil. workers is Options.Workers.
func (t *Topics) Checkpoint(v *checkpoint.Values, factor, dense *matrix.Tall, workers int) {
	v.Int(&t.K)
	v.Ints(&t.Anchors)
	checkpoint.Slice(v, &t.Pivots)
	checkpoint.Slice(v, &t.Margins)
	v.JSON(&t.Certain)
	v.Ints(&t.InHalves)
	checkpoint.Slice(v, &t.Reliability)
	checkpoint.Matrix(v, &t.Mixtures)
	checkpoint.Slice(v, &t.RowSums)
	checkpoint.Slice(v, &t.Masses)
	checkpoint.Slice(v, &t.Prior)
	checkpoint.Slice(v, &t.TopicJoint)
	if v.Gob(&t.Stats); v.Reading() {
		t.factor, t.dense, t.workers = factor, dense, workers
	}
}
