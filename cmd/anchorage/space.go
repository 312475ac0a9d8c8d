// This file checks before a run whether the disk has room for what the run will write at least.

package main

import (
	"fmt"
	"path/filepath"

	"github.com/dustin/go-humanize"

	"anchorage/corpus"
	"anchorage/internal/objects"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// modelBytes is the least that the tables of a model take per item and topic: two numbers of 4 bytes, which hardly
// compress.
const modelBytes = 8

// room returns an error if what will be written, need bytes, does not fit into a folder of this machine; move says what
// puts it elsewhere. Where the room is unknown, everything fits.
func (p *program) room(what, folder string, need int64, move string) error {
	if free, known := p.free(folder); known && need > free {
		return &codedError{exitResources, fmt.Errorf("%s will take at least %s in %s, where %s are free: %s are missing; "+
			"%s, or begin all the same with --set disk-check=false", what, humanize.IBytes(uint64(need)), folder,
			humanize.IBytes(uint64(free)), humanize.IBytes(uint64(need-free)), move)}
	}
	return nil
}

// roomForCopy checks that the compact copy of shards fits into the folder of --spill-dir, or beside the output. It
// allows all if the size of a shard is unknown.
func (f *sourceFlags) roomForCopy(p *program, shards []shard.Shard, out *model.Output) error {
	need := stream.LeastCopy(shards)
	if f.noDisk || need == 0 {
		return nil
	}
	folder, err := workingFolder(f.spillDir, out)
	if err != nil {
		return err
	}
	if f.spillDir == "" {
		folder = filepath.Dir(folder)
	}
	return p.room("the compact copy of the documents", folder, need, "name another folder with --spill-dir")
}

// roomForModel checks that a model of the documents with a number of topics fits beside the output, or where it is
// gathered before it is uploaded. The copy of the documents, which may lie there too, is gone by then: at most
// copiedBytes per entry are not needed.
func (f *sourceFlags) roomForModel(p *program, a corpus.Account, topics int, w work) error {
	const copiedBytes = 3
	need := modelBytes*int64(a.Items)*int64(topics) - copiedBytes*a.Entries
	if f.noDisk || need <= 0 {
		return nil
	}
	move := "write to another disk with -o"
	if objects.IsURL(w.path) {
		move = "let TMPDIR name another folder, in which the model is gathered before it is uploaded"
	}
	folder, err := w.out.Scratch()
	if err != nil {
		return err
	}
	return p.room("the model", filepath.Dir(folder), need, move)
}
