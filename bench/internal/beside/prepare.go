// This file divides a corpus and writes what the systems read.

package beside

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"anchorage/bench/internal/documents"
	"anchorage/bench/internal/topics"
	"anchorage/corpus"
	"anchorage/internal/durable"
	"anchorage/internal/synth"
	"anchorage/shard"
	"anchorage/stream"
)

// Drawn is the name of the corpora with a known truth. Their vocabulary is as large as Run.Vocabulary says, and they have as many topics as are
// looked for.
const Drawn = "drawn"

// Of drawn corpora.
const (
	drawnDocuments = 2   // for each item
	drawnTokens    = 100 // of a document, in the mean
)

// The files of the folder that systems read, beside those of topics.ExportDocuments.
const (
	shardFile      = "documents.parquet"
	vocabularyFile = "vocabulary.parquet"
	labelsFile     = "labels.csv" // of a corpus, with the columns item and label; not all have it
)

// material is a corpus with one vocabulary, as systems get it, and what their topics are scored with.
type material struct {
	*documents.Division
	folder  string
	entries int64
	count   int64          // documents to learn from
	drawn   *synth.Drawn   // nil for other corpora
	items   []int32        // the drawn item of each item
	labels  *stream.Labels // nil without labels
}

// key says which material a run needs.
type key struct {
	corpus             string
	vocabulary, topics int // topics are 0 for corpora that do not depend on them
}

func (r Run) key() key {
	if r.Corpus != Drawn {
		return key{r.Corpus, r.Vocabulary, 0}
	}
	return key{r.Corpus, r.Vocabulary, r.Topics}
}

// prepare reads or draws a corpus, divides it and writes it to a folder. The caller must close what there is to learn from.
func (g *Grid) prepare(ctx context.Context, of key, folder string) (_ *material, err error) {
	m := &material{folder: folder}
	whole, limits, err := g.open(ctx, of, m)
	if err != nil {
		return nil, err
	}
	limits.Dir, limits.Workers = folder, g.Workers
	m.Division, err = documents.Divide(ctx, whole, limits, seed)
	if err := errors.Join(err, whole.Close()); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, m.Learning.Close())
		}
	}()
	if of.vocabulary > 0 && m.Learning.Vocabulary.Len() < of.vocabulary && of.corpus != Drawn {
		return nil, &fewError{m.Learning.Vocabulary.Len()}
	}
	if m.drawn != nil {
		if m.items, err = synth.ItemsOf(m.Learning.Vocabulary); err != nil {
			return nil, err
		}
		m.labels = m.homes()
	} else if err := m.readLabels(ctx, filepath.Join(g.folder(of.corpus), labelsFile)); err != nil {
		return nil, err
	}
	return m, m.write(ctx)
}

// fewError says that a corpus has fewer items than a vocabulary is to have.
type fewError struct{ items int }

// Error names the number.
func (e *fewError) Error() string { return fmt.Sprintf("there are only %d items", e.items) }

// seed divides documents and draws corpora.
const seed = 1

// open opens all documents of a corpus, and says what is learned from.
func (g *Grid) open(ctx context.Context, of key, m *material) (*corpus.Corpus, corpus.Options, error) {
	everything := corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 2, Workers: g.Workers, Dir: m.folder}
	if of.corpus == Drawn {
		m.drawn = synth.Model{Items: of.vocabulary, Topics: of.topics, Documents: drawnDocuments * of.vocabulary, Tokens: drawnTokens, Seed: seed, Workers: g.Workers}.Plant()
		whole, err := corpus.FromSeq(ctx, documents.Named(ctx, m.drawn.Pass, m.drawn.Vocabulary()), everything)
		return whole, corpus.Options{NoPrune: true, MinItems: 1, MinTokens: 2}, err
	}
	limits := corpus.Options{Pruning: corpus.Pruning{MinDF: g.MinDF, MaxDFRatio: corpus.ByKind, MaxItems: of.vocabulary}, MinItems: corpus.ByKind, MinTokens: corpus.ByKind}
	shards, err := g.shards(ctx, of.corpus)
	if err != nil {
		return nil, limits, err
	}
	whole, err := stream.Open(ctx, shards, everything)
	return whole, limits, err
}

// shards finds the shards of a corpus. Its labels are none.
func (g *Grid) shards(ctx context.Context, name string) ([]shard.Shard, error) {
	folder := g.folder(name)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, &shard.Error{Path: folder, Err: syscallCause(err)}
	}
	var paths []string
	for _, entry := range entries {
		if entry.Name() != labelsFile && entry.Type().IsRegular() {
			paths = append(paths, filepath.Join(folder, entry.Name()))
		}
	}
	if len(paths) == len(entries) {
		paths = []string{folder} // the folder as a whole knows which of its files belong together
	}
	return shard.Discover(ctx, paths, shard.Options{})
}

// syscallCause returns what the system says, without the path.
func syscallCause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// homes labels each item of a drawn corpus with its true topic.
func (m *material) homes() *stream.Labels {
	labels := new(stream.Labels)
	for i, item := range m.items {
		labels.Items, labels.Labels = append(labels.Items, int32(i)), append(labels.Labels, int32(m.drawn.Truth.Home(int(item))))
	}
	return labels
}

// readLabels reads labels, if there are any.
func (m *material) readLabels(ctx context.Context, path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var err error
	m.labels, err = stream.ReadLabels(ctx, path, stream.LabelColumns{Item: "item", Label: "label"}, m.Learning.Vocabulary)
	return err
}

// write writes the documents to learn from, as arrays and as a shard with its vocabulary.
func (m *material) write(ctx context.Context) error {
	if err := topics.ExportDocuments(ctx, m.Learning, m.folder); err != nil {
		return err
	}
	err := durable.WriteFile(filepath.Join(m.folder, vocabularyFile), func(w io.Writer) error { return stream.WriteVocabulary(w, m.Learning.Vocabulary) })
	if err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(m.folder, shardFile), func(w io.Writer) error { return m.writeShard(ctx, w) })
}

// writeShard writes the documents under the ids of their items, and counts them.
func (m *material) writeShard(ctx context.Context, w io.Writer) error {
	writer, err := shard.NewDocumentWriter(w)
	if err != nil {
		return err
	}
	for document, err := range documents.Named(ctx, m.Learning.Pass, m.Learning.Vocabulary) {
		if err != nil {
			return err
		}
		if err := writer.Write(strconv.FormatInt(m.count, 10), document.Items, document.Counts); err != nil {
			return err
		}
		m.count++
		m.entries += int64(len(document.Items))
	}
	return writer.Close()
}

// warm reads all files, so that every system finds them in the system's cache.
func (m *material) warm() error {
	return filepath.WalkDir(m.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(io.Discard, file)
		return err
	})
}
