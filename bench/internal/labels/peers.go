// This file writes the documents and the labels for other programs.

package labels

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"anchorage/corpus"
)

// writePeers writes documents.txt, a line of item:count for each document, and labels.txt, a line for each level of its number of topics and
// then item:label for each pair, to a folder that must exist.
func (c *catalogue) writePeers(ctx context.Context, folder string) error {
	err := writeLines(folder, "documents.txt", func(w *bufio.Writer) error {
		return c.docs.Pass(ctx, func(docs *corpus.Documents) error {
			for m := range docs.Documents() {
				items, counts := docs.Row(m)
				writePairs(w, items, counts)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return writeLines(folder, "labels.txt", func(w *bufio.Writer) error {
		for at, k := range c.levels {
			fmt.Fprintf(w, "%d ", k)
			writePairs(w, c.labels[at].Items, c.labels[at].Labels)
		}
		return nil
	})
}

// writePairs writes a line of pairs.
func writePairs(w *bufio.Writer, first, second []int32) {
	for x, i := range first {
		if x > 0 {
			w.WriteByte(' ')
		}
		fmt.Fprintf(w, "%d:%d", i, second[x])
	}
	w.WriteByte('\n')
}

// writeLines writes a file.
func writeLines(folder, name string, fill func(*bufio.Writer) error) error {
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	if err := fill(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}
