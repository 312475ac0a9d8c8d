// This file writes a division of the documents for other programs.

package items

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"anchorage/corpus"
	"anchorage/model/items"
)

// writePeers writes the documents to learn from, what is given and what is held out, a line each of item numbers, and tiers.txt, the
// decile of each item, to a folder that must exist.
func writePeers(ctx context.Context, folder string, learning *corpus.Corpus, baskets []items.Basket, counts []int64) error {
	if err := writeLines(folder, "train.txt", func(line func([]int32)) error {
		return learning.Pass(ctx, func(docs *corpus.Documents) error {
			for m := range docs.Documents() {
				row, _ := docs.Row(m)
				line(row)
			}
			return nil
		})
	}); err != nil {
		return err
	}
	parts := map[string]func(items.Basket) []int32{
		"given.txt": func(b items.Basket) []int32 { return b.Given },
		"held.txt":  func(b items.Basket) []int32 { return b.Held },
	}
	for name, part := range parts {
		if err := writeLines(folder, name, func(line func([]int32)) error {
			for _, b := range baskets {
				line(part(b))
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return writeLines(folder, "tiers.txt", func(line func([]int32)) error {
		for _, tier := range items.Tiers(counts) {
			line([]int32{int32(tier)})
		}
		return nil
	})
}

// writeLines writes lines of numbers.
func writeLines(folder, name string, fill func(line func([]int32)) error) error {
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	defer file.Close()
	w := bufio.NewWriter(file)
	if err := fill(func(row []int32) {
		for x, i := range row {
			if x > 0 {
				fmt.Fprint(w, " ")
			}
			fmt.Fprint(w, i)
		}
		fmt.Fprintln(w)
	}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return file.Close()
}
