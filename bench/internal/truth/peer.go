// This file runs other programs' methods on the documents that ours get.

package truth

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"anchorage/bench/internal/topics"
	"anchorage/bench/peers"
	"anchorage/corpus"
)

// byPeer hands the documents over and runs the method of another program. Its seconds leave out loading and A.
func byPeer(ctx context.Context, docs *corpus.Corpus, o *order) (*learned, error) {
	program, output := filepath.Join(o.Scratch, "truth.py"), filepath.Join(o.Scratch, "topics.npy")
	if err := os.WriteFile(program, peers.Truth, 0o644); err != nil {
		return nil, err
	}
	if err := topics.ExportDocuments(ctx, docs, o.Scratch); err != nil {
		return nil, err
	}
	k, items := o.Run.Topics, docs.Vocabulary.Len()
	said, err := topics.AskPeer(ctx, o.Run.Method, []string{o.Python, program, o.Run.Method, o.Scratch, output,
		strconv.Itoa(items), strconv.Itoa(k), strconv.FormatUint(o.Run.Seed, 10)}, o.stderr)
	if err != nil {
		return nil, err
	}
	if len(said.Joint) != k*k {
		return nil, fmt.Errorf("%s gives %d joint probabilities of %d topics", o.Run.Method, len(said.Joint), k)
	}
	b, err := topics.ReadTopics(output, k, items)
	if err != nil {
		return nil, err
	}
	r := o.record
	r.Stages, r.PeakBytes, r.Program = said.Stages, said.PeakBytes, said.Program
	r.Seconds, r.CPU = 0, 0
	for _, stage := range said.Stages {
		if stage.Name == "fit" {
			r.Seconds += stage.Seconds
			r.CPU += stage.CPU
		}
	}
	return &learned{row: func(dst []float64, i int) { copy(dst, b.Row(i)) }, joint: said.Joint, passes: said.Passes}, nil
}
