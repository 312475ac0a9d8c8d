package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/corpus"
	"anchorage/model"
	"anchorage/shard"
	"anchorage/stream"
)

// runOn runs a command line on a machine whose disk has so much room, call by call; the last number holds from there
// on. A negative one is unknown.
func runOn(t *testing.T, room []int64, line string) (code int, log string) {
	t.Helper()
	var out, err bytes.Buffer
	p := newProgram(nil, &out, &err)
	p.free = func(folder string) (int64, bool) {
		if _, err := os.Stat(folder); err != nil {
			t.Error(err)
		}
		free := room[0]
		if len(room) > 1 {
			room = room[1:]
		}
		return max(free, 0), free >= 0
	}
	return p.run(t.Context(), strings.Fields(line)), err.String()
}

// A run that cannot fit on the disk is refused before it reads, with what is missing, where, and what to do.
func TestRoom(t *testing.T) {
	inCorpus(t, 2)
	for line, want := range map[string]string{
		"fit shards -k 4 -o out":                    "the compact copy of the documents will take at least ",
		"sketch shards -k 4 -o out":                 "the compact copy of the documents will take at least ",
		"bayes fit --model lda shards -k 4 -o out":  "the compact copy of the documents will take at least ",
		"fit shards -k 4 -o out --spill-dir shards": "in shards, where 100 B are free: ",
	} {
		code, log := runOn(t, []int64{100}, line)
		if code != exitResources || !strings.Contains(log, want) ||
			!strings.Contains(log, " are missing; name another folder with --spill-dir, or begin all the same with --set "+
				"disk-check=false") {
			t.Errorf("%s: exit code %d: %s", line, code, log)
		}
		if strings.Contains(log, "documents read") {
			t.Errorf("%s: the shards were read: %s", line, log)
		}
		if left, err := os.ReadDir("."); err != nil || len(left) != 1 {
			t.Errorf("%s left %v, %v", line, left, err)
		}
	}
	for name, test := range map[string]struct {
		room []int64
		line string
	}{
		"asked for":    {[]int64{100}, "sketch shards -k 4 -o asked --set disk-check=false"},
		"unknown":      {[]int64{-1}, "sketch shards -k 4 -o unknown"},
		"without copy": {[]int64{100}, "sketch shards -k 4 -o single --no-prune"},
		"enough":       {[]int64{math.MaxInt64}, "sketch shards -k 4 -o enough"},
	} {
		if code, log := runOn(t, test.room, test.line); code != exitDone {
			t.Errorf("%s: exit code %d: %s", name, code, log)
		}
	}
}

// Once the items are known, the model must fit too, except for what the copy gives back.
func TestRoomForModel(t *testing.T) {
	inCorpus(t, 1)
	var f sourceFlags
	out, err := model.Create(t.Context(), filepath.Join(t.TempDir(), "model"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Abort()
	p := newProgram(nil, nil, nil)
	p.free = func(string) (int64, bool) { return 1000, true }
	for _, test := range []struct {
		items, topics int
		entries       int64
		output, want  string
	}{
		{25, 5, 0, "model", ""},
		{26, 5, 0, "model", "the model will take at least 1.0 KiB in "},
		{26, 5, 14, "model", ""},
		{26, 5, 0, "s3://bucket/model", "let TMPDIR name another folder"},
		{0, 5, 0, "model", ""}, // not known yet
	} {
		err := f.roomForModel(p, corpus.Account{Items: test.items, Entries: test.entries}, test.topics, work{path: test.output, out: out})
		if (err == nil) != (test.want == "") || err != nil && (!strings.Contains(err.Error(), test.want) ||
			exitCode(err) != exitResources) {
			t.Errorf("%+v: %v", test, err)
		}
	}
	f.noDisk = true
	if err := f.roomForModel(p, corpus.Account{Items: 1e6}, 100, work{path: "model", out: out}); err != nil {
		t.Error(err)
	}
}

// What the check counts with is less than what copies really take, for shards of every kind.
func TestLeastCopy(t *testing.T) {
	wiki, err := filepath.Abs("../../testdata/wiki")
	if err != nil {
		t.Fatal(err)
	}
	inCorpus(t, 2)
	var lines, long, packed bytes.Buffer
	long.WriteString("order_id,product_id\n")
	for i := range 20000 {
		fmt.Fprintf(&lines, "%d %d %d\n", i%7, i%11+7, i%13+18)
		fmt.Fprintf(&long, "order-%06d,product-%06d\n", i/3, i*i%997)
	}
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write(long.Bytes()); err != nil || zip.Close() != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"lines.dat": lines.Bytes(), "long.csv": long.Bytes(),
		"packed.csv.gz": packed.Bytes()} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"shards", wiki, "lines.dat", "long.csv", "packed.csv.gz"} {
		shards, err := shard.Discover(t.Context(), []string{path}, shard.Options{})
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		docs, err := stream.Open(t.Context(), shards, corpus.Options{Pruning: corpus.Pruning{MinDF: 1, MaxDFRatio: 1},
			Dir: dir, MinItems: 1, MinTokens: 1})
		if err != nil {
			t.Fatal(path, err)
		}
		took := sizeOf(t, dir)
		if err := docs.Close(); err != nil {
			t.Error(err)
		}
		if least := stream.LeastCopy(shards); least <= 0 || least > took {
			t.Errorf("%s: the copy takes %d bytes, the check counts with %d", path, took, least)
		}
	}
	if least := stream.LeastCopy([]shard.Shard{{Path: "a.parquet", Size: 1000}, {Path: "-"}}); least != 0 {
		t.Errorf("a shard of unknown size makes %d bytes", least)
	}
}

// sizeOf returns the bytes of all files of a folder.
func sizeOf(t *testing.T, dir string) (bytes int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		bytes += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// TestRoomForUpdates refuses an update whose copies or whose model do not fit on the disk of the store, which then is
// as it was.
func TestRoomForUpdates(t *testing.T) {
	inCorpus(t, 2)
	const line = "update shop.store shards -k 4 --refine none"
	code, said := runOn(t, []int64{10}, line)
	if code != exitResources || !strings.Contains(said, "the copy of the new shards will take at least") {
		t.Errorf("no room for the copy: code %d: %s", code, said)
	}
	code, said = runOn(t, []int64{1 << 30, 10}, line)
	if code != exitResources || !strings.Contains(said, "the model will take at least") {
		t.Errorf("no room for the model: code %d: %s", code, said)
	}
	if _, err := os.Readlink("shop.store/current"); err == nil {
		t.Error("a refused update made a generation")
	}
	if code, said := runOn(t, []int64{10}, line+" --set disk-check=false"); code != exitDone {
		t.Errorf("without the check: code %d: %s", code, said)
	}
}
