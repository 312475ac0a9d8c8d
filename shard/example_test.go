package shard_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"anchorage/shard"
	"anchorage/shard/fault"
	"anchorage/shard/tablefile"
)

// Documents are read batch by batch, whatever format they are in.
func Example() {
	dir, err := os.MkdirTemp("", "shards")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	orders := "order,product,quantity\n7,apples,2\n7,bread,1\n9,bread,3\n"
	if err := os.WriteFile(filepath.Join(dir, "orders.csv"), []byte(orders), 0o666); err != nil {
		log.Fatal(err)
	}

	ctx := context.Background()
	shards, err := shard.Discover(ctx, []string{dir}, shard.Options{Names: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range shards {
		fmt.Printf("%s is %v (%s)\n", filepath.Base(s.Path), s.Format, s.Reason)
		parts, err := s.Parts(ctx)
		if err != nil {
			log.Fatal(err)
		}
		for _, part := range parts {
			if err := printDocuments(ctx, part); err != nil {
				log.Fatal(err)
			}
		}
	}
	// Output:
	// orders.csv is csv (content: its header names the columns of a long table)
	// 7: apples×2 bread×1
	// 9: bread×3
}

// printDocuments prints the documents of a part.
func printDocuments(ctx context.Context, part shard.Part) error {
	reader, err := shard.Open(ctx, part)
	if err != nil {
		return err
	}
	defer reader.Close()
	var batch shard.Batch
	for {
		err := reader.Next(&batch)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for d := range batch.Documents() {
			fmt.Printf("%s:", batch.Names.ID(d))
			for i := batch.Offsets[d]; i < batch.Offsets[d+1]; i++ {
				fmt.Printf(" %s×%d", batch.Dictionary.ID(int(batch.Items[i])), batch.Counts[i])
			}
			fmt.Println()
		}
	}
}

// A shard is written document by document, and read again without being told anything about it.
func ExampleDocumentWriter() {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("example-%d.parquet", os.Getpid()))
	file, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(path)
	writer, err := tablefile.NewDocumentWriter(file)
	if err != nil {
		log.Fatal(err)
	}
	if err := writer.Write("first", []string{"anchor", "topic"}, []int32{2, 1}); err != nil {
		log.Fatal(err)
	}
	if err := writer.Write("second", []string{"topic"}, []int32{5}); err != nil {
		log.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		log.Fatal(err)
	}
	if err := file.Close(); err != nil {
		log.Fatal(err)
	}

	shards, err := shard.Discover(context.Background(), []string{path}, shard.Options{})
	if err != nil {
		log.Fatal(err)
	}
	description, err := shards[0].Describe(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(description.Rows, "documents:", description.Mapping)
	// Output:
	// 2 documents: parquet, a document per row: items "items", counts "counts", ids "doc_id"
}

// Errors say where, and which option would help.
func ExampleError() {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("example-%d.csv", os.Getpid()))
	if err := os.WriteFile(path, []byte("order,product\n7,apples\n9,bread\n7,bread\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	defer os.Remove(path)
	ctx := context.Background()
	shards, err := shard.Discover(ctx, []string{path}, shard.Options{})
	if err != nil {
		log.Fatal(err)
	}
	parts, err := shards[0].Parts(ctx)
	if err != nil {
		log.Fatal(err)
	}
	reader, err := shard.Open(ctx, parts[0])
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Close()
	if place, ok := reader.Next(new(shard.Batch)).(*shard.Error); ok {
		fmt.Printf("row %d: %v\n", place.Row, place.Err)
		fmt.Println("Options.Group would help:", place.Reason() == fault.Scattered)
	}
	// Output:
	// row 4: document "7" comes again after others: its rows must be adjacent
	// Options.Group would help: true
}
