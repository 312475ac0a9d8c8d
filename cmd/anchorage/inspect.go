// This file holds the inspect command: what shards hold and how they would be read.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/corpus"
	"anchorage/shard"
	"anchorage/stream"
)

// sampleEntries is how many nonzeros of a shard are read without --full.
const sampleEntries = 1 << 20

// inspection is what inspect prints.
type inspection struct {
	Shards    []shardView `json:"shards"`
	Documents int64       `json:"documents"` // read, as all that follows
	Items     int         `json:"items"`
	Nonzeros  int64       `json:"nonzeros"`
	Tokens    int64       `json:"tokens"`
	Full      bool        `json:"full"` // everything was read
	Sizes     []sizeView  `json:"sizes,omitempty"`
}

// shardView is a shard.
type shardView struct {
	Path      string `json:"path"`
	Format    string `json:"format"`
	DecidedBy string `json:"decided_by"`
	Bytes     int64  `json:"bytes"`
	shard.Description
	Documents int64 `json:"documents"` // read
	Nonzeros  int64 `json:"nonzeros"`
	Whole     bool  `json:"whole"` // all of them were read
}

// sizeView is a percentile of the documents' sizes.
type sizeView struct {
	Percent float64 `json:"percent"`
	Items   int     `json:"items"` // a document at this place has so many distinct items
}

func (p *program) inspectCommand() *cobra.Command {
	var source sourceFlags
	var full, checksums bool
	cmd := &cobra.Command{
		Use:   "inspect PATH...",
		Short: "Show what shards hold and how they would be read",
		Long: `Inspect shows of each shard its format, and what told it, its columns, and what would be taken for documents, items
and counts; and over all shards the numbers of documents, items and nonzeros, and the documents' sizes. It reads the first million
nonzeros of each shard, or with --full every value, so that whatever is wrong with one is found.`,
		Args: cobra.MinimumNArgs(1),
		RunE: started(func(ctx context.Context, args []string) error {
			shards, err := source.discover(ctx, p, args)
			if err != nil {
				return err
			}
			if checksums {
				return shard.WriteChecksums(ctx, p.stdout, ".", shards)
			}
			view, err := p.inspect(ctx, shards, full)
			if view != nil {
				err = errors.Join(p.printInspection(view), err)
			}
			return err
		}),
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.BoolVar(&full, "full", false, "read every value")
	flags.BoolVar(&checksums, "checksums", false, "print nothing but the SHA-256 of each shard as sha256sum does, for --checksums: the list is to lie in the working directory")
	source.addLayout(flags)
	p.addJSON(flags)
	return cmd
}

var errEnough = errors.New("enough has been read")

// inspect describes shards and reads them. The first error of a shard is returned with what was learned of all of them.
func (p *program) inspect(ctx context.Context, shards []shard.Shard, full bool) (*inspection, error) {
	v := &inspection{Full: full}
	vocabulary := corpus.NewVocabulary()
	sizes := make(map[int]int64)
	var failure error
	for _, s := range shards {
		d, err := s.Describe(ctx)
		if err != nil {
			return nil, err
		}
		one := shardView{Path: s.Path, Format: s.Format.String(), DecidedBy: s.Reason, Bytes: s.Size, Description: d}
		err = p.read(ctx, s, vocabulary, full, func(items, tokens int64) {
			one.Documents++
			one.Nonzeros += items
			v.Tokens += tokens
			sizes[int(items)]++
		})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if one.Whole = err == nil; err != nil && err != errEnough {
			one.Problem = err.Error() + advice(err)
			failure = cmp.Or(failure, err)
		}
		v.Documents += one.Documents
		v.Nonzeros += one.Nonzeros
		v.Shards = append(v.Shards, one)
	}
	v.Items = vocabulary.Len()
	v.Full = !slices.ContainsFunc(v.Shards, func(s shardView) bool { return !s.Whole })
	v.Sizes = percentiles(sizes, v.Documents)
	return v, failure
}

// read calls fn with the numbers of items and tokens of the documents of a shard. The error is errEnough where it stops
// early.
func (p *program) read(ctx context.Context, s shard.Shard, vocabulary *corpus.Vocabulary, full bool, fn func(items, tokens int64)) error {
	entries := 0
	_, err := stream.Read(ctx, []shard.Shard{s}, stream.ReadOptions{ReadingOptions: corpus.ReadingOptions{Workers: p.workers, Growing: vocabulary}, SkipDigests: true},
		func(documents *corpus.Documents) error {
			for i := range documents.Documents() {
				items, counts := documents.Row(i)
				tokens := int64(0)
				for _, count := range counts {
					tokens += int64(count)
				}
				fn(int64(len(items)), tokens)
			}
			if entries += documents.Entries(); !full && entries >= sampleEntries {
				return errEnough
			}
			return nil
		})
	if errors.Is(err, errEnough) {
		return errEnough
	}
	return err
}

// percentiles returns the sizes at several places among documents sorted by size.
func percentiles(sizes map[int]int64, documents int64) (views []sizeView) {
	if documents == 0 {
		return nil
	}
	var sorted []int
	for size := range sizes {
		sorted = append(sorted, size)
	}
	slices.Sort(sorted)
	for _, percent := range []float64{0, 1, 10, 25, 50, 75, 90, 99, 100} {
		rank := int64(percent / 100 * float64(documents-1))
		for _, size := range sorted {
			if rank -= sizes[size]; rank < 0 {
				views = append(views, sizeView{percent, size})
				break
			}
		}
	}
	return views
}

// printInspection prints what was found.
func (p *program) printInspection(v *inspection) error {
	p.bar.close()
	if p.json {
		return p.printJSON(v)
	}
	var out strings.Builder
	for _, s := range v.Shards {
		printShard(&out, s)
	}
	read := "read in full"
	if !v.Full {
		read = "of what was read"
	}
	fmt.Fprintf(&out, "%d documents, %d items, %d nonzeros, %d tokens, %s\n", v.Documents, v.Items, v.Nonzeros, v.Tokens, read)
	if len(v.Sizes) > 0 {
		out.WriteString("distinct items of a document: ")
		for i, size := range v.Sizes {
			if i > 0 {
				out.WriteString(", ")
			}
			name := fmt.Sprintf("%g %%", size.Percent)
			switch size.Percent {
			case 0:
				name = "least"
			case 50:
				name = "median"
			case 100:
				name = "most"
			}
			fmt.Fprintf(&out, "%s %d", name, size.Items)
		}
		out.WriteString("\n")
	}
	_, err := io.WriteString(p.stdout, out.String())
	return err
}

// printShard prints a shard in a few lines.
func printShard(out *strings.Builder, s shardView) {
	fmt.Fprintf(out, "%s\n  %s (%s), %d bytes", s.Path, s.Format, s.DecidedBy, s.Bytes)
	if s.Groups > 0 {
		fmt.Fprintf(out, ", %d rows in %d groups", s.Rows, s.Groups)
	}
	if s.Writer != "" {
		fmt.Fprintf(out, ", written by %q", s.Writer)
	}
	out.WriteString("\n")
	const most = 40
	for i, column := range s.Columns {
		if i == most {
			fmt.Fprintf(out, "    and %d more columns\n", len(s.Columns)-most)
			break
		}
		fmt.Fprintf(out, "    %s\n", strings.TrimSpace(fmt.Sprintf("%q %s", column.Name, column.Type)))
	}
	if s.Reading != "" {
		fmt.Fprintf(out, "  read as %s\n", s.Reading)
	}
	if s.Problem != "" {
		fmt.Fprintf(out, "  cannot be read: %s\n", s.Problem)
	}
	if s.Documents > 0 {
		more := ""
		if !s.Whole {
			more = ", and there is more"
		}
		fmt.Fprintf(out, "  %d documents with %d nonzeros%s\n", s.Documents, s.Nonzeros, more)
	}
}
