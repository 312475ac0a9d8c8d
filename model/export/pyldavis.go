// This file writes topics for gensim and what pyLDAvis draws, and reads the topics of documents.

package export

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"io"

	"anchorage/bayes/infer"
	"anchorage/internal/durable"
	"anchorage/internal/npy"
	"anchorage/model"
	"anchorage/shard/tablefile"
)

// pyldavisScript calls pyLDAvis.prepare with the folder's arrays.
//
//go:embed vis.py
var pyldavisScript string

// writePyLDAvis writes the five arguments of pyLDAvis.prepare (Sievert & Shirley, LDAvis, 2014): topic_term_dists
// (K×N), doc_topic_dists (M×K), doc_lengths (M), vocab (N, as items.json) and term_frequency (N). Documents without a
// known item are left out: they say nothing of topics.
func writePyLDAvis(ctx context.Context, j *job, dir *durable.Dir) error {
	var lengths []int64
	err := j.eachDocuments(ctx, func(known []int64, _ []float32) error {
		for _, n := range known {
			if n > 0 {
				lengths = append(lengths, n)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(lengths) == 0 {
		return &model.InputError{Path: j.Documents[0], Reason: "has no document with a known item"}
	}
	k, n := int64(j.Topics()), int64(j.Vocabulary.Len())
	return all(
		func() error { return j.writeDistributions(dir, "topic_term_dists.npy") },
		func() error {
			return dir.WriteFile("doc_topic_dists.npy", func(w io.Writer) error {
				return npy.Write(w, []int64{int64(len(lengths)), k}, func(write func([]float32) error) error {
					return j.eachDocuments(ctx, func(known []int64, mixtures []float32) error {
						for d, tokens := range known {
							if tokens == 0 {
								continue
							}
							if err := write(mixtures[int64(d)*k : int64(d+1)*k]); err != nil {
								return err
							}
						}
						return nil
					})
				})
			})
		},
		func() error { return writeArray(dir, "doc_lengths.npy", lengths, int64(len(lengths))) },
		func() error { return writeItems(j, dir, j.distinctNames()) },
		func() error { return writeArray(dir, "term_frequency.npy", j.TermFrequency, n) },
		func() error { return writeScript(dir, "vis.py", pyldavisScript) },
	)
}

// distinctNames returns what names items: those that share a name have their ids behind it, since pyLDAvis adds up
// equal terms.
func (j *job) distinctNames() func(m *model.Model, i int) string {
	times := make(map[string]int)
	if j.Vocabulary.Names != nil {
		for i := range j.Vocabulary.Len() {
			times[j.Name(i)]++
		}
	}
	return func(m *model.Model, i int) string {
		if times[m.Name(i)] > 1 {
			return m.Name(i) + " (" + m.Vocabulary.ID(i) + ")"
		}
		return m.Name(i)
	}
}

// read calls fn with runs of columns of all documents, the file and the number of the first row there, from 0.
func (j *job) read(ctx context.Context, fields []tablefile.Field,
	fn func(file string, first int64, columns []any) error) error {
	for _, file := range j.Documents {
		if err := tablefile.Read(ctx, file, fields, func(first int64, columns []any) error {
			return fn(file, first, columns)
		}); err != nil {
			return err
		}
	}
	return nil
}

// eachDocuments calls fn with runs of documents: the tokens of known items, and the mixtures, K values each.
func (j *job) eachDocuments(ctx context.Context, fn func(known []int64, mixtures []float32) error) error {
	fields := []tablefile.Field{{Name: "known_tokens", Type: tablefile.Int64},
		{Name: "mixture", Type: tablefile.Float32List, Width: j.Topics()}}
	return j.read(ctx, fields, func(file string, first int64, columns []any) error {
		known, mixtures := columns[0].([]int64), columns[1].([]float32)
		for d, tokens := range known {
			sum := 0.0
			for _, share := range mixtures[d*j.Topics() : (d+1)*j.Topics()] {
				sum += float64(share)
			}
			if tokens < 0 || !(sum > 0.999 && sum < 1.001) {
				return &model.InputError{Path: file,
					Reason: fmt.Sprintf("has in row %d a document of %d tokens whose mixture sums to %v and not to 1",
						first+int64(d)+1, tokens, sum)}
			}
		}
		return fn(known, mixtures)
	})
}

// gensimScript makes an LdaModel of the folder. gensim's own files are pickles, whose content depends on the versions
// of Python, NumPy and gensim, and which can run code when they are read.
//
//go:embed lda.py
var gensimScript string

// writeGensim writes the topics, the parameters of the Dirichlet prior, the tokens of each topic, a dictionary in
// gensim's text form, and a script that makes an LdaModel of them.
func writeGensim(_ context.Context, j *job, dir *durable.Dir) error {
	names, err := words(j.Vocabulary, Gensim)
	if err != nil {
		return err
	}
	tokens, k := 0.0, int64(j.Topics())
	for _, n := range j.TermFrequency {
		tokens += float64(n)
	}
	counts := make([]float64, k)
	for a, share := range j.Shares {
		counts[a] = share * tokens
	}
	return all(
		func() error { return j.writeDistributions(dir, "topics.npy") },
		func() error { return writeArray(dir, "alpha.npy", infer.MatchDirichlet(j.TopicJoint, j.Topics()), k) },
		func() error { return writeArray(dir, "tokens.npy", counts, k) },
		func() error {
			return dir.WriteFile("dictionary.txt", func(w io.Writer) error {
				b := bufio.NewWriter(w)
				fmt.Fprintf(b, "%d\n", j.Manifest.Corpus.Documents)
				for i, name := range names {
					fmt.Fprintf(b, "%d\t%s\t%d\n", i, name, j.DocumentFrequency[i])
				}
				return b.Flush() // a buffer keeps its first error
			})
		},
		func() error { return writeScript(dir, "lda.py", gensimScript) },
	)
}

func writeScript(dir *durable.Dir, name, text string) error {
	return dir.WriteFile(name, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
