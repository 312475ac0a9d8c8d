// Command baskets groups products from lines "order,product" on standard input, sorted by order. It shows how documents
// come from an iterator: from a database cursor or a queue just as well.
//
//	printf '1,bread\n1,butter\n2,nails\n2,hammer\n' | go run ./examples/baskets 2
package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"iter"
	"log"
	"os"
	"strconv"

	"anchorage/corpus"
	"anchorage/model/fit"
)

func main() {
	log.SetFlags(0)
	topics := 10
	if len(os.Args) > 1 {
		var err error
		if topics, err = strconv.Atoi(os.Args[1]); err != nil {
			log.Fatal(err)
		}
	}
	if err := run(context.Background(), os.Stdin, topics); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, lines io.Reader, topics int) error {
	docs, err := corpus.FromSeq(ctx, orders(lines), corpus.Options{Pruning: corpus.Pruning{MinDF: 2}})
	if err != nil {
		return err
	}
	defer docs.Close()
	fitted, err := fit.Fit(ctx, docs, fit.Options{Topics: topics, Seed: 1})
	if err != nil {
		return err
	}
	m := fitted.Loaded()
	for k, prominent := range m.Prominent {
		fmt.Printf("%2d %4.1f%%  %q\n", k, 100*fitted.Topics.Prior[k], m.Names(prominent[:min(5, len(prominent))]))
	}
	return nil
}

// orders yields an order at a time.
func orders(lines io.Reader) iter.Seq2[corpus.Document, error] {
	return func(yield func(corpus.Document, error) bool) {
		rows := csv.NewReader(lines)
		rows.FieldsPerRecord = 2
		var order string
		var document corpus.Document
		for {
			row, err := rows.Read()
			if err != nil && err != io.EOF {
				yield(document, err)
				return
			}
			if err == io.EOF || row[0] != order {
				if len(document.Items) > 0 && !yield(document, nil) || err == io.EOF {
					return
				}
				order, document = row[0], corpus.Document{}
			}
			document.Items = append(document.Items, row[1])
		}
	}
}
