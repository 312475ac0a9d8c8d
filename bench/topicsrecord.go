// This file holds the records of a comparison of topics.

package bench

import (
	"fmt"

	"anchorage/model"
)

// TopicsRun says what a run is of; two runs with the same one are the same.
type TopicsRun struct {
	Corpus     string  `json:"corpus"`
	MinDF      int64   `json:"min_df"`
	MaxDFRatio float64 `json:"max_df_ratio"`
	MaxItems   int     `json:"max_items"` // 0 for all
	Topics     int     `json:"topics"`
	Seed       uint64  `json:"seed"`
	Method     string  `json:"method"`
}

// TopicsRecord is what came out of a run.
type TopicsRecord struct {
	TopicsRun
	// Failure is why there are no topics; empty if there are. What follows is then without meaning.
	Failure   string          `json:"failure,omitempty"`
	Items     int             `json:"items"`     // N
	Documents int64           `json:"documents"` // M
	Entries   int64           `json:"entries"`
	Rankings  []TopicsRanking `json:"rankings,omitempty"` // in the order of topicsLambdas
	Anchors   *TopicsAnchors  `json:"anchors,omitempty"`  // nil for methods without
	// Stages are what the method did; the first two of another program's, and the first of ours, bring the documents in.
	Stages    []model.StageTime `json:"stages,omitempty"`
	Seconds   float64           `json:"seconds"`     // of the method, once the documents are there
	CPU       float64           `json:"cpu_seconds"` // likewise, of all processors together
	PeakBytes int64             `json:"peak_bytes"`  // largest resident size of the process, all stages together
	Workers   int               `json:"workers"`
	Program   string            `json:"program"`
}

// TopicsRanking is what topics are worth when they are read by the first words under one λ.
type TopicsRanking struct {
	Lambda         float64 `json:"lambda"`
	NPMI           float64 `json:"npmi"`
	Diversity      float64 `json:"diversity"`
	LeastDocuments int64   `json:"least_documents"` // in how many the rarest of all words occurs
	ThinTopics     int     `json:"thin_topics"`     // topics with a word in fewer than thinDocuments
}

// TopicsAnchors is what is known of methods with anchors.
type TopicsAnchors struct {
	MedianDF     float64 `json:"median_df"`
	LargestPivot float64 `json:"largest_pivot"`
	NonPositive  int     `json:"non_positive"` // items with a weight d ≤ 0
}

// readTopicsRecords reads the records of a file; see readRecords.
func readTopicsRecords(path string) ([]TopicsRecord, error) {
	return readRecords(path, func(r *TopicsRecord) TopicsRun { return r.TopicsRun }, func(r *TopicsRecord) error {
		if r.Failure == "" && len(r.Rankings) != len(topicsLambdas) {
			return fmt.Errorf("has %d rankings, not %d", len(r.Rankings), len(topicsLambdas))
		}
		return nil
	})
}
