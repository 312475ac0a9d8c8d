// This file asks for outputs at places where something else is that must stay, and for less memory than may be needed.

package soak

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/internal/process"
	"anchorage/internal/synth"
)

// limited are lines with OUT that take --memory-limit, and making are all that write OUT, out of what a place has:
// documents in "in", a model "m", and more.
var (
	limited = []string{"convert in -o OUT", "vocab in -o OUT", "fit in -k 4 -o OUT", "sketch in -k 4 -o OUT",
		"bayes fit in --model lda -k 4 -o OUT", "steer m --script pins -o OUT", "transform m in -o OUT", "eval m in -o OUT",
		"choose-k in -o OUT", "update OUT in -k 4"}
	making = append([]string{"rectify sk -o OUT", "anchor fa -o OUT", "merge one two -o OUT", "report m -o OUT",
		"compare m m -o OUT", "export m --to csv -o OUT", "export m --to word2vec -o OUT",
		"transform m in -o new --metrics-file OUT", "fit in -k 4 -o new --metrics-file OUT"}, limited...)
)

// kept is what a place has that a line must not replace: inputs, what is above them and links to them, what is within
// results, results with a file that their manifest does not list, and folders and files of others.
var kept = []string{"in", "in --replace", "in/part-00000.parquet", ". --replace", "to-in --replace",
	"m/manifest.json --replace", "m/topics.parquet --replace", "m/new", "to-m/new", "sk/manifest.json --replace",
	"st --replace", "st/new", "st/generations/000001", "st/generations/000001 --replace", "st/generations/000001/new",
	"st/states/new", "mine", "mine --replace", "mine/notes --replace", "to-mine --replace", "spark", "spark --replace",
	"notes", "notes --replace", "notes/mine", "pins"}

// small and larger are the corpora of places.
var (
	small  = synth.Model{Items: 100, Topics: 3, Documents: 400, Tokens: 20, Concentration: 0.1, Seed: 1}
	larger = synth.Model{Items: 4000, Topics: 10, Documents: 2000, Tokens: 30, Concentration: 0.1, Seed: 3}
)

// place makes a folder of documents, results and others' files, once for each corpus.
func (w *Workshop) place(ctx context.Context, of synth.Model) (string, error) {
	folder := filepath.Join(w.folder, fmt.Sprintf("place-%d", of.Items))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	if err := makeFolders(folder, "tmp", "in", "spark", "notes"); err != nil {
		return "", err
	}
	if err := of.Plant().WriteShards(ctx, filepath.Join(folder, "in"), 2); err != nil {
		return "", err
	}
	for _, line := range []string{"fit in -k 4 -o m --neighbours 5", "fit in -k 4 -o mine --refine none",
		"update st in -k 4", "sketch in -k 4 -o sk", "rectify sk -o fa",
		"sketch in/part-00000.parquet -k 4 -o one --passes 1 --vocab m/vocabulary.parquet",
		"sketch in/part-00001.parquet -k 4 -o two --passes 1 --vocab m/vocabulary.parquet"} {
		if _, err := w.must(ctx, folder, order{}, line); err != nil {
			return "", err
		}
	}
	var err error
	for name, text := range map[string]string{"spark/_SUCCESS": "", "spark/part-0": "a", "notes/mine": "b",
		"mine/notes": "c", "pins": "pin 0\n"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666))
	}
	for _, name := range []string{"in", "m", "mine"} {
		err = errors.Join(err, os.Symlink(name, filepath.Join(folder, "to-"+name)))
	}
	return folder, err
}

// replace runs a line with every output that must stay.
func (w *Workshop) replace(ctx context.Context, o *Outcome, enough int) error {
	folder, err := w.place(ctx, small)
	if err != nil {
		return err
	}
	before, err := digests(folder)
	for _, at := range kept[:min(enough, len(kept))] {
		e, err := w.run(ctx, folder, order{}, strings.Replace(o.What, "OUT", at, 1))
		if err != nil {
			return err
		}
		after, err := digests(folder)
		if err != nil {
			return err
		}
		o.Disturbed++
		if o.Refused++; !maps.Equal(before, after) || !slices.Contains([]int{10, 11, 14}, e.code) {
			maps.DeleteFunc(before, func(name, sum string) bool { return after[name] == sum })
			o.problem("%v: it changes or takes away %q", e, slices.Collect(maps.Keys(before)))
			before = after
		}
	}
	return err
}

// lowLimit is the least limit that runs are held to.
const lowLimit = 96 << 20

// memory runs a line under limits of memory drawn at random. It must end with 0, or with 12, and take at most 8 % more
// than the limit or lowLimit: docs/operations.md.
func (w *Workshop) memory(ctx context.Context, o *Outcome, enough int) error {
	folder, err := w.place(ctx, larger)
	if err != nil {
		return err
	}
	for ; o.Disturbed < enough && !w.over(); o.Disturbed++ {
		out, limit := fmt.Sprint("out-", o.Disturbed), int64(56+w.below(150))<<20
		line := strings.Replace(o.What, "OUT", out, 1) + fmt.Sprint(" --memory-limit ", limit)
		e, err := w.run(ctx, folder, order{}, line)
		if err != nil {
			return err
		}
		// A process inherits the peak of the one that starts it.
		most := max(limit, lowLimit, process.PeakMemory()) * 108 / 100
		switch {
		case e.code != 0 && e.code != 12 || e.peak > most:
			o.problem("%v: %d MiB", e, e.peak>>20)
		case e.code == 0:
			o.Complete++
		default:
			o.Refused++
		}
		if err := os.RemoveAll(filepath.Join(folder, out)); err != nil {
			return err
		}
	}
	return nil
}
