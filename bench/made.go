// This file makes one part of the whole set of results, and keeps account of which commit made which part.

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"anchorage/bench/internal/report"
	"anchorage/internal/durable"
)

// set is the whole set of results, while it is made.
type set struct {
	output, data, commit string
	parts                []part
	budget               time.Duration // 0 for any
	end                  time.Time     // of the budget; zero without one
	account              *report.Table // a row for each part that was made or begun
	left                 []string      // what was not made, and why
}

// The states of a part in the account.
const (
	stateDone  = "done"
	stateBegun = "begun"
)

// accountName is the name of the account, without its ending.
const accountName = "made"

func newAccount() *report.Table {
	return report.NewTable(accountName, report.Texts("part", "state", "commit", "day"), report.Floats("seconds"), report.Ints("lines"), report.Texts("command"))
}

// entry is a row of the account.
type entry struct {
	part, state, commit, day string
	seconds                  float64 // of all that was done for it
	lines                    int64   // that are complete
	command                  string  // all lines
}

// read reads the account.
func (s *set) read() error {
	s.account = newAccount()
	err := s.account.Read(filepath.Join(s.output, accountName+".csv"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// entry returns the row of a part; a zero one if there is none.
func (s *set) entry(folder string) entry {
	for _, row := range s.account.Where("part", folder) {
		return entry{row[0].(string), row[1].(string), row[2].(string), row[3].(string), row[4].(float64), row[5].(int64), row[6].(string)}
	}
	return entry{}
}

// put writes the row of a part.
func (s *set) put(e entry) error {
	table := newAccount()
	row := []any{e.part, e.state, e.commit, e.day, e.seconds, e.lines, e.command}
	for _, old := range s.account.Rows {
		if old[0] == e.part {
			old, row = row, nil
		}
		table.Add(old...)
	}
	if row != nil {
		table.Add(row...)
	}
	s.account = table
	return durable.WriteFile(filepath.Join(s.output, accountName+".csv"), table.WriteCSV)
}

// making returns where a part is until it is complete.
func (s *set) making(folder string) string {
	return filepath.Join(s.output, ".making", filepath.FromSlash(folder))
}

// mostTimes is how many times as long a part may take within a budget as it is said to take.
const mostTimes = 2

// makePart makes a part, unless this commit has made it or it does not fit into the budget.
func (p *program) makePart(ctx context.Context, s *set, part part) error {
	known := s.entry(part.folder)
	command := strings.Join(part.lines, "; ")
	same := known.commit == s.commit && known.command == command
	folder := filepath.Join(s.output, filepath.FromSlash(part.folder))
	if _, err := os.Stat(filepath.Join(folder, "README.md")); err == nil && same && known.state == stateDone {
		p.log.Info("part is there", "part", part.folder)
		return nil
	}
	if s.data == "" && strings.Contains(command, "DATA") {
		p.log.Warn("part left out: it needs --data", "part", part.folder)
		s.left = append(s.left, part.folder+": it needs --data")
		return nil
	}
	done := int64(0)
	if same && known.state == stateBegun {
		done = known.lines
	} else if err := os.RemoveAll(s.making(part.folder)); err != nil { // of another commit
		return err
	}
	takes := cmp.Or(time.Duration(known.seconds*float64(time.Second)), part.takes)
	if !same || known.state != stateBegun {
		known.seconds = 0
	}
	if !s.end.IsZero() { // one part does not take the time of all others
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, mostTimes*part.takes)
		defer cancel()
	}
	known = entry{part.folder, stateBegun, s.commit, time.Now().UTC().Format(time.DateOnly), known.seconds, done, command}
	for _, line := range part.lines[done:] {
		if errors.Is(ctx.Err(), context.Canceled) {
			return ctx.Err()
		}
		if left := time.Until(s.end); !s.end.IsZero() && (left <= 0 || !series(line) && left < takes) {
			s.left = append(s.left, fmt.Sprintf("%s: %d of %d lines made; it takes about %v", part.folder, known.lines, len(part.lines), takes.Round(time.Second)))
			p.log.Warn("part does not fit into the budget", "part", part.folder, "takes", takes, "left", max(left, 0))
			return nil
		}
		begin := time.Now()
		err := p.makeLine(ctx, line, s.data, s.making(part.folder))
		known.seconds += time.Since(begin).Seconds()
		if err == nil {
			known.lines++
		}
		if err := s.put(known); err != nil {
			return err
		}
		if errors.Is(ctx.Err(), context.DeadlineExceeded) && err != nil {
			s.left = append(s.left, fmt.Sprintf("%s: %d of %d lines made; its time, or the budget, ended in the next one", part.folder, known.lines, len(part.lines)))
			return nil
		}
		if err != nil {
			return err
		}
	}
	if err := stamp(s.making(part.folder), known, p.workers); err != nil {
		return err
	}
	if err := replace(s.making(part.folder), folder); err != nil {
		return err
	}
	known.state = stateDone
	return s.put(known)
}

// makeLine runs a command line of this program.
func (p *program) makeLine(ctx context.Context, line, data, folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	if !series(line) { // what an interruption may have left
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	p.log.Info("making part", "command", line)
	words := strings.Fields(line)
	for i, word := range words {
		words[i] = strings.Replace(strings.Replace(word, "RESULTS", folder, 1), "DATA", data, 1)
	}
	words = append(words, "--log-level", p.logLevel)
	if p.workers > 0 {
		words = append(words, "--workers", fmt.Sprint(p.workers))
	}
	if code := execute(ctx, words, nil, io.Discard, p.stderr); code != exitDone {
		return fmt.Errorf("the part ended with code %d", code)
	}
	return nil
}

// stamp sees to it that README.md says which commit made the results, when, where and how.
func stamp(folder string, e entry, workers int) error {
	path := filepath.Join(folder, "README.md")
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if e.commit != "" && strings.Contains(string(text), "commit "+e.commit) {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n## Where these come from\n\nMade on %s by\n\n```\n", strings.TrimRight(string(text), "\n")+"\n", e.day)
	for line := range strings.SplitSeq(e.command, "; ") {
		fmt.Fprintf(&b, "go run ./bench %s\n", line)
	}
	b.WriteString("```\n\non\n\n")
	for _, line := range report.Machine(workers) {
		fmt.Fprintf(&b, "- %s\n", line)
	}
	return report.WriteText(path, b.String())
}

// replace lets a folder take the place of another one. Folders in the old one that the new one does not have stay: they are parts of their own.
func replace(made, folder string) error {
	if err := os.MkdirAll(filepath.Dir(folder), 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if _, err := os.Lstat(filepath.Join(made, entry.Name())); entry.IsDir() && errors.Is(err, fs.ErrNotExist) {
			if err := os.Rename(filepath.Join(folder, entry.Name()), filepath.Join(made, entry.Name())); err != nil {
				return err
			}
		}
	}
	old := made + ".old"
	if err := os.Rename(folder, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(made, folder); err != nil {
		return err
	}
	return os.RemoveAll(old)
}
