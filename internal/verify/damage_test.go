// This file damages what was written, in the ways of disks and transfers, one of each kind, and checks that reading it
// detects the damage.

package verify_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"anchorage/corpus"
	"anchorage/internal/checkpoint"
	"anchorage/internal/long"
	"anchorage/internal/random"
	"anchorage/model"
	"anchorage/model/fit"
	"anchorage/store"
	"anchorage/stream"
)

// artefact is something that is written, and that checks itself when it is read.
type artefact struct {
	name string
	// make writes it into a folder and returns its path: a file, or a directory of files.
	make func(ctx context.Context, folder string) (path string, err error)
	// read reads it and returns everything that was read.
	read func(ctx context.Context, path string) (any, error)
}

// artefacts are one of each kind, small, so that thousands can be read. Most are the frozen bytes of testdata.
var artefacts = []artefact{
	{"vocabulary", frozen("model/vocabulary.parquet"),
		func(ctx context.Context, path string) (any, error) { return stream.ReadVocabulary(ctx, path) }},
	{"copy", frozen("store/shards/*/corpus"), readCopy},
	{"sketch", frozen("sketch"), readSketch},
	{"factor", frozen("factor"), readFactor},
	{"model", frozen("model"), readModel},
	{"neighbours", frozen("model"), readNeighbours},
	{"state", makeState, readState},
	{"store", frozen("store"), readStore},
}

// frozen makes a copy of what is at a pattern in testdata/frozen.
func frozen(pattern string) func(context.Context, string) (string, error) {
	return func(_ context.Context, folder string) (string, error) {
		found, err := filepath.Glob(filepath.Join("..", "..", "testdata", "frozen", pattern))
		if err != nil || len(found) == 0 {
			return "", fmt.Errorf("nothing is at %s: %w", pattern, err)
		}
		path := filepath.Join(folder, "made")
		if content, err := os.ReadFile(found[0]); err == nil {
			return path, os.WriteFile(path, content, 0o666)
		}
		return path, os.CopyFS(path, os.DirFS(found[0]))
	}
}

func readCopy(ctx context.Context, path string) (any, error) {
	c, err := corpus.OpenCopy(path)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	all := &corpus.Documents{}
	_, err = c.Pass(ctx, 1, nil, func(docs *corpus.Documents) error {
		for d := range docs.Documents() {
			all.Append(docs.Row(d))
		}
		return nil
	})
	return []any{all, c.Documents(), c.Entries(), c.Tokens(), c.Items()}, err
}

// readSketch reads all but run.json, which no digest covers.
func readSketch(ctx context.Context, path string) (any, error) {
	l, err := fit.LoadSketched(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	return []any{l.Vocabulary, l.Manifest, l.Marginals, l.Evidence, l.Eigen}, nil
}

func readFactor(ctx context.Context, path string) (any, error) {
	l, err := fit.LoadRectified(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	return []any{l.Vocabulary, l.Manifest, l.Marginals, l.Evidence, l.Eigen, l.Factor}, nil
}

func readModel(ctx context.Context, path string) (any, error) {
	m, err := model.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	factor, err := m.Vectors(ctx)
	return []any{m, factor}, err
}

// readNeighbours reads what a model recommends by.
func readNeighbours(ctx context.Context, path string) (any, error) {
	m, err := model.Load(ctx, path)
	if err != nil {
		return nil, err
	}
	pairs, err := m.Pairs(ctx)
	return []any{pairs, m.ItemTopics()}, err
}

// checkpointOf opens a checkpoint and its only chain.
func checkpointOf(ctx context.Context, folder string) (*checkpoint.Folder, *checkpoint.Chain, error) {
	f, err := checkpoint.Open(ctx, folder, checkpoint.Options{Resume: checkpoint.Auto, Every: -1})
	if err != nil {
		return nil, nil, err
	}
	f.Know(checkpoint.Fact{Name: "what", Value: "damage"})
	return f, f.Chain("fit"), nil
}

func makeState(ctx context.Context, folder string) (string, error) {
	path := filepath.Join(folder, "made")
	f, chain, err := checkpointOf(ctx, path)
	if err != nil {
		return "", err
	}
	var floats []float64
	var ints []int
	for i := range 300 {
		floats, ints = append(floats, 1/float64(i+1)), append(ints, i*i)
	}
	chain.Point("damage", nil, nil).Reached(func(v *checkpoint.Values) {
		v.Take(&floats, &ints)
	})
	return path, f.Close()
}

func readState(ctx context.Context, path string) (_ any, err error) {
	states, err := checkpoint.States(path)
	if err != nil || len(states) != 1 {
		return nil, errors.Join(err, fmt.Errorf("%d states", len(states)))
	}
	verified := checkpoint.VerifyState(ctx, states[0])
	f, chain, err := checkpointOf(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	loaded, err := chain.Load()
	if err != nil {
		return nil, err
	}
	if loaded == nil {
		return nil, errors.New("no state")
	}
	var floats []float64
	var ints []int
	loaded.Take(&floats, &ints)
	return []any{verified, loaded.Kind, floats, ints}, loaded.Close()
}

func readStore(ctx context.Context, path string) (any, error) {
	found, err := store.Verify(ctx, path)
	if err != nil {
		return nil, err
	}
	if len(found.Problems) > 0 {
		return nil, errors.New(found.Problems[0].Reason)
	}
	s, err := store.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	place, err := s.Model()
	if err != nil {
		return nil, err
	}
	m, err := readModel(ctx, place)
	return []any{s.State, m, found.Files}, err
}

// outcome counts what became of damages.
type outcome struct{ damaged, refused, unseen int }

// damage makes an artefact, flips bits of it, or cuts its files, about enough in all, one at a time, and reads it each
// time. It counts those that change what is read without an error, and notes each. Cuts are at every length if there
// are no more, else at multiples of a step.
func (a *artefact) damage(t *testing.T, cuts bool, enough int) (o outcome) {
	ctx := t.Context()
	path, err := a.make(ctx, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	whole, err := a.read(ctx, path)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	size := int64(0)
	err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.Size() > 0 { // an empty file cannot be damaged
			files, size = append(files, name), size+info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	look := func(file, what string, content []byte) {
		if err := os.WriteFile(file, content, 0o666); err != nil {
			t.Fatal(err)
		}
		o.damaged++
		switch got, err := a.read(ctx, path); {
		case err != nil:
			o.refused++
		case !reflect.DeepEqual(got, whole):
			o.unseen++
			t.Logf("read without an error: %s, %s", filepath.Base(file), what)
		}
	}
	step := int((size + int64(enough) - 1) / int64(enough))
	for f, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		draw := func(number, which uint64, below int) int {
			return int(random.Uniform(7, random.Test, uint64(f)<<32+number, which) * float64(below))
		}
		if cuts {
			for length := draw(0, 2, step); length < len(content); length += step {
				look(file, fmt.Sprintf("cut at %d of %d bytes", length, len(content)), content[:length])
			}
		} else {
			for number := range uint64((len(content)*enough + int(size) - 1) / int(size)) {
				at, bit := draw(number, 0, len(content)), draw(number, 1, 8)
				content[at] ^= 1 << bit
				look(file, fmt.Sprintf("bit %d of byte %d", bit, at), content)
				content[at] ^= 1 << bit
			}
		}
		if err := os.WriteFile(file, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// TestDamage flips bits of every artefact and cuts its files: 15 each, in the long tier 1,250. None is read wrongly
// without an error.
func TestDamage(t *testing.T) {
	enough := 15
	if long.Tier() {
		enough = 1250
	}
	for _, a := range artefacts {
		for _, cuts := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/cuts=%t", a.name, cuts), func(t *testing.T) {
				o := a.damage(t, cuts, enough)
				if o.unseen > 0 {
					t.Errorf("%d damages were read without an error", o.unseen)
				}
				if o.refused < o.damaged/4 || o.damaged < enough/2 {
					t.Errorf("only %d of %d damages were refused", o.refused, o.damaged)
				}
				t.Logf("%+v", o)
			})
		}
	}
}

// TestDamageIsNoticed damages a file that does not check itself: every damage must count.
func TestDamageIsNoticed(t *testing.T) {
	plain := artefact{"plain", func(_ context.Context, folder string) (string, error) {
		path := filepath.Join(folder, "plain")
		return path, os.WriteFile(path, []byte("plain text"), 0o666)
	}, func(_ context.Context, path string) (any, error) { return os.ReadFile(path) }}
	for cuts, want := range map[bool]int{false: 30, true: 10} {
		if o := plain.damage(t, cuts, 30); o != (outcome{damaged: want, unseen: want}) {
			t.Errorf("cuts %t: %+v", cuts, o)
		}
	}
}
