// This file makes forms by which people, or a model of language, judge topics: which of six items does not belong to
// the others (word intrusion: Chang et al., NIPS 2009), and which four of eight belong together (topics mixed).

package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"anchorage/bench/internal/run"
	"anchorage/bench/internal/systems"
	"anchorage/internal/durable"
	"anchorage/internal/random"
	"anchorage/model"
)

const (
	intrusionItems = 5 // of the topic, beside the intruder
	mixedItems     = 4 // of each of two topics
	ownItems       = 10
)

// intrusionCommand returns the command that writes the forms of a model, or of a text file with a topic per line.
func (p *program) intrusionCommand() *cobra.Command {
	var output string
	var seed uint64
	cmd := &cobra.Command{
		Use:   "intrusion TOPICS",
		Short: "Write forms by which people judge topics",
		Long: `Write forms by which people judge topics. TOPICS is a model, or a text file with a topic per line, its items in
order and between tabs or blanks. form.csv has a row per question: in "intrusion" one item of six is of another topic,
in "mixed" four of eight items are. key.csv has the answers. Give form.csv to people or to a model of language.`,
		Example: "  go run ./bench intrusion model -o forms",
		Args:    cobra.ExactArgs(1),
		RunE: started(func(cmd *cobra.Command, args []string) error {
			if err := needOutput(output); err != nil {
				return err
			}
			lists, err := listsOf(cmd, args[0])
			if err != nil {
				return err
			}
			form, key := questions(lists, seed)
			if len(form) == 1 {
				return &run.UsageError{Err: fmt.Errorf("%s has no two topics with enough items that differ", args[0])}
			}
			if err := os.MkdirAll(output, 0o777); err != nil {
				return err
			}
			for name, rows := range map[string][][]string{"form.csv": form, "key.csv": key} {
				if err := durable.WriteFile(filepath.Join(output, name), func(w io.Writer) error {
					return csv.NewWriter(w).WriteAll(rows)
				}); err != nil {
					return err
				}
			}
			_, err = fmt.Fprintf(p.stdout, "%d questions are in %s, and their answers in key.csv there.\n", len(form)-1,
				filepath.Join(output, "form.csv"))
			return err
		}),
	}
	outputFlag(cmd.Flags(), &output)
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of what is asked, and in which order")
	return cmd
}

// listsOf returns the items of each topic, the most prominent first.
func listsOf(cmd *cobra.Command, path string) (lists [][]string, err error) {
	if info, err := os.Stat(path); err != nil || info.IsDir() {
		m, err := model.Load(cmd.Context(), path)
		if err != nil {
			return nil, err
		}
		for _, list := range systems.Prominent(m) {
			var names []string
			for _, item := range list {
				names = append(names, m.Name(item))
			}
			lists = append(lists, names)
		}
		return lists, nil
	}
	text, err := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if items := strings.Fields(line); len(items) > 0 {
			lists = append(lists, items)
		}
	}
	return lists, err
}

// questions returns the rows of both files, in a random order. Where a topic has no intruder, it has no question.
func questions(lists [][]string, seed uint64) (form, key [][]string) {
	s := random.NewSource()
	s.Seek(seed, random.FormQuestions, 0)
	head := []string{"question", "task"}
	for n := range 2 * mixedItems {
		head = append(head, "item"+strconv.Itoa(n+1))
	}
	form, key = [][]string{head}, [][]string{{"question", "task", "topic", "answer"}}
	for _, k := range s.Perm(len(lists)) {
		for _, task := range []string{"intrusion", "mixed"} {
			own, others := intrusionItems, 1
			if task == "mixed" {
				own, others = mixedItems, mixedItems
			}
			if len(lists[k]) < own {
				continue
			}
			for _, l := range s.Perm(len(lists)) {
				strangers := slices.DeleteFunc(slices.Clone(lists[l][:min(own, len(lists[l]))]),
					func(item string) bool { return slices.Contains(lists[k][:min(ownItems, len(lists[k]))], item) })
				if l == k || len(strangers) < others {
					continue
				}
				answer := strangers[:others]
				asked := slices.Concat(lists[k][:own], answer)
				s.Shuffle(len(asked), func(i, j int) { asked[i], asked[j] = asked[j], asked[i] })
				question := strconv.Itoa(len(form))
				row := append([]string{question, task}, asked...)
				form = append(form, slices.Grow(row, len(head))[:len(head)])
				key = append(key, []string{question, task, strconv.Itoa(k), strings.Join(answer, " ")})
				break
			}
		}
	}
	return form, key
}
