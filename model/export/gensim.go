// This file writes topics for gensim.

package export

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"io"

	"anchorage/bayes/infer"
	"anchorage/internal/durable"
)

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
