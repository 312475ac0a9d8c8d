// Command make writes the generated files under testdata. Run it from the top of the repository:
//
//	go run ./testdata/make wiki -o testdata/wiki SHARD...    a slice of a corpus of Parquet shards
//	go run ./testdata/make broken -o testdata/broken         small files that every reader must refuse
//	go run ./testdata/make warehouse -o testdata/warehouse   long tables as warehouses write them
//	go run ./testdata/make read -o FOLDER                    one corpus in every format, for BenchmarkRead of package shard
//
// The same arguments give the same bytes. The output folder must exist; files of the same names are replaced.
package main

import (
	"flag"
	"fmt"
	"os"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("missing argument: wiki, broken, warehouse or read")
	}
	flags := flag.NewFlagSet(args[0], flag.ExitOnError)
	output := flags.String("o", "", "folder to write to")
	var s slice
	var c corpus
	switch args[0] {
	case "wiki":
		flags.IntVar(&s.every, "every", 3, "take one document in this many")
		flags.IntVar(&s.minItems, "min-items", 200, "leave out documents with fewer distinct items")
		flags.IntVar(&s.maxItems, "max-items", 600, "leave out documents with more distinct items")
		flags.Float64Var(&s.prose, "prose", 0.37, "leave out documents in which the 100 most frequent items have a smaller share of the tokens")
		flags.Float64Var(&s.repeated, "repeated", 0.025, "leave out documents in which another item has a greater share of the tokens")
		flags.IntVar(&s.shards, "shards", 4, "number of shards")
	case "read":
		flags.IntVar(&c.documents, "documents", 40_000, "number of documents")
		flags.IntVar(&c.length, "length", 70, "mean length of documents in tokens")
		flags.IntVar(&c.vocabulary, "vocabulary", 50_000, "number of items")
		c.shards = 2
	case "broken", "warehouse":
	default:
		return fmt.Errorf("unknown argument %q: use wiki, broken, warehouse or read", args[0])
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if *output == "" {
		return fmt.Errorf("-o is missing: name the output folder")
	}
	if args[0] == "wiki" {
		return s.write(*output, flags.Args())
	}
	if args[0] == "read" {
		return c.write(*output)
	}
	if args[0] == "warehouse" {
		return writeWarehouse(*output)
	}
	return writeBroken(*output)
}
