// This file scores the topics of other tools, which are lists of items.

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"anchorage/corpus"
	"anchorage/metric"
	"anchorage/shard"
	"anchorage/stream"
)

// evalTopics scores lists of items.
func (p *program) evalTopics(ctx context.Context, f *evalFlags, args []string) error {
	options := f.source.options(p, "")
	options.NoPrune, options.AllowSingles = f.source.vocab == "", true
	var err error
	if f.source.vocab != "" {
		if options.Vocabulary, err = stream.ReadVocabulary(ctx, f.source.vocab); err != nil {
			return err
		}
	}
	docs, err := f.source.open(ctx, p, args, options, 0)
	if err != nil {
		return err
	}
	defer p.closeDocuments(docs)
	lists, err := readTopicLists(f.topics, docs.Vocabulary)
	if err != nil {
		return err
	}
	report, err := metric.ScoreLists(ctx, p.watched(docs, "scoring"), docs.Vocabulary.Len(), lists, p.workers)
	if err != nil {
		return err
	}
	return p.writeReport(ctx, report, f.output)
}

// readTopicLists reads topics, one per line. Empty lines are skipped.
func readTopicLists(path string, vocabulary *corpus.Vocabulary) ([][]int, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, &shard.Error{Path: path, Err: err}
	}
	defer file.Close()
	var lists [][]int
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	row := int64(0)
	for lines.Scan() {
		row++
		list, err := topicList(lines.Text(), vocabulary)
		if err != nil {
			return nil, &shard.Error{Path: path, Row: row, Err: err}
		}
		if len(list) > 0 {
			lists = append(lists, list)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, &shard.Error{Path: path, Row: row + 1, Err: err}
	}
	if len(lists) == 0 {
		return nil, &shard.Error{Path: path, Err: errors.New("the file has no topics")}
	}
	return lists, nil
}

// topicList returns the items of a line.
func topicList(line string, vocabulary *corpus.Vocabulary) (list []int, err error) {
	seen := map[string]bool{}
	for _, id := range strings.Fields(line) {
		index, known := vocabulary.Lookup([]byte(id))
		if !known {
			return nil, fmt.Errorf("item %q is in no document, or not in the vocabulary: leave it out, or give the documents that the topics were made from", id)
		}
		if seen[id] {
			return nil, fmt.Errorf("item %q occurs twice in the topic", id)
		}
		seen[id] = true
		list = append(list, int(index))
	}
	return list, nil
}
