// Command make writes the files under testdata that are not written by hand. It is run from the top of the repository:
//
//	go run ./testdata/make wiki -o testdata/wiki SHARD...    a slice of a corpus of Parquet shards
//	go run ./testdata/make broken -o testdata/broken         small files that no reader may accept
//
// The same arguments give the same bytes. The output folder must be there; files of the same names are replaced.
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
		return fmt.Errorf("say what to make: wiki or broken")
	}
	flags := flag.NewFlagSet(args[0], flag.ExitOnError)
	output := flags.String("o", "", "folder to write to")
	var s slice
	switch args[0] {
	case "wiki":
		flags.IntVar(&s.every, "every", 6, "take one document in so many")
		flags.IntVar(&s.minItems, "min-items", 200, "of those with at least so many distinct items")
		flags.IntVar(&s.shards, "shards", 4, "spread over so many shards")
	case "broken":
	default:
		return fmt.Errorf("%q is unknown: make wiki or broken", args[0])
	}
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if *output == "" {
		return fmt.Errorf("where to? say so with -o")
	}
	if args[0] == "wiki" {
		return s.write(*output, flags.Args())
	}
	return writeBroken(*output)
}
