// This file checks folders of results, those of the tests and those that are committed, and the links of documents.

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"anchorage/bench/internal/run"
)

// The committed results are as the programs write them: CSV, README.md and SVG, tables in order, links that lead
// somewhere.
func TestCommittedResults(t *testing.T) {
	results(t, "results")
}

var update = flag.Bool("update", false, "write the pages of results again")

// madeElsewhere are the folders of results that `bench all` does not make, with their parts.
var madeElsewhere = []lines{{"labels/debian", []string{"labels"}}, {"ranks", []string{"ranks"}},
	{"soak", []string{"soak"}}}

// Every page of results is what its tables give: no figure is written by hand, and results are called older once code
// that they depend on has changed. `go test ./bench -run TestPages -update` writes them again. Every commit that they
// name is in the history.
func TestPages(t *testing.T) {
	shallow, err := exec.Command("git", "rev-parse", "--is-shallow-repository").Output()
	if err != nil || strings.TrimSpace(string(shallow)) != "false" {
		t.Skip("there is no history to look commits up in")
	}
	known := make(map[string]bool)
	for _, of := range slices.Concat(all, madeElsewhere) {
		name, _, _ := strings.Cut(of.lines[0], " ")
		part := parts[slices.IndexFunc(parts, func(p *run.Part) bool { return p.Name == name })]
		folder := filepath.Join("results", filepath.FromSlash(of.folder))
		paths, err := filepath.Glob(filepath.Join(folder, "*.csv"))
		if err != nil || len(paths) == 0 {
			t.Errorf("%s has no tables: %v", folder, err)
			continue
		}
		for _, match := range run.Measured.FindAllStringSubmatch(text(t, folder, "runs.csv"), -1) {
			if commit := match[1]; !known[commit] {
				known[commit] = true
				if err := exec.Command("git", "merge-base", "--is-ancestor", commit, "HEAD").Run(); err != nil {
					t.Errorf("%s names commit %s, which is not in the history: %v", folder, commit, err)
				}
			}
		}
		if *update {
			if err := part.Show(folder); err != nil {
				t.Error(err)
			}
			continue
		}
		again := t.TempDir()
		for _, path := range paths {
			if err := os.WriteFile(filepath.Join(again, filepath.Base(path)), []byte(text(t, path)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := part.Show(again); err != nil {
			t.Error(err)
		} else if text(t, again, "README.md") != text(t, folder, "README.md") {
			t.Errorf("%s/README.md is not what its tables give: go test ./bench -run TestPages -update", folder)
		}
	}
	if len(known) < 5 {
		t.Errorf("only %d commits are named: the search is broken", len(known))
	}
}

// The links of all documents lead somewhere.
func TestLinks(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"../*.md", "../docs/*.md", "../docs/*/*.md", "../testdata/*/*.md", "peers/*.md"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			seen++
			for _, err := range linksOf(path) {
				t.Errorf("%s %v", path, err)
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d documents: the search is broken", seen)
	}
}

// A folder without a fault has no problem, and every fault is found.
func TestProblems(t *testing.T) {
	for name, test := range map[string]struct{ file, text, want string }{
		"a table":       {"README.md", "| a | b |\n| --- | ---: |\n| 1 | 2 |\n\n| c |\n", ""},
		"a link":        {"README.md", "see [this](README.md#here) and [that](https://example.org/x)", ""},
		"a CSV":         {"a.csv", "a,b\n1,NaN\n", ""},
		"a chart":       {"a.svg", "<svg><g/></svg>", ""},
		"uneven table":  {"README.md", "| a | b |\n| 1 |\n", "line 2 has 1 cells, the one before 2"},
		"escaped cell":  {"README.md", "| a |\n| \\|I\\| |\n", ""},
		"NaN":           {"README.md", "| NaN |\n", "line 1 has NaN"},
		"broken link":   {"README.md", "![chart](chart.svg)", "links to chart.svg, which is not there"},
		"uneven CSV":    {"a.csv", "a,b\n1\n", "wrong number of fields"},
		"cut chart":     {"a.svg", "<svg><g>", "unexpected EOF"},
		"empty chart":   {"a.svg", "", "EOF"},
		"Parquet":       {"a.parquet", "PAR1", "is neither README.md nor CSV nor SVG"},
		"other text":    {"table.md", "| a |", "is neither README.md nor CSV nor SVG"},
		"success":       {"_SUCCESS", "", "is neither README.md nor CSV nor SVG"},
		"nested folder": {"part/x.json", "{}", "is neither README.md nor CSV nor SVG"},
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, filepath.FromSlash(test.file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(test.text), 0o644); err != nil {
			t.Fatal(err)
		}
		found := strings.Join(problems(folder), "\n")
		if (test.want == "") != (found == "") || !strings.Contains(found, test.want) {
			t.Errorf("%s: found %q, want %q", name, found, test.want)
		}
	}
	if len(problems(filepath.Join(t.TempDir(), "nothing"))) == 0 ||
		len(linksOf(filepath.Join(t.TempDir(), "nothing.md"))) == 0 {
		t.Error("a folder or file that is not there passes")
	}
}

// text returns a file's text.
func text(t testing.TB, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// only fails the test unless the folder holds exactly the files of these names.
func only(t testing.TB, folder string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, entry := range entries {
		found = append(found, entry.Name())
	}
	slices.Sort(names)
	if !slices.Equal(found, names) {
		t.Errorf("%s holds %q, want %q", folder, found, names)
	}
}

// results fails the test where a folder of results is not as such a folder must be.
func results(t testing.TB, folder string) {
	t.Helper()
	for _, problem := range problems(folder) {
		t.Error(problem)
	}
}

// problems returns what is wrong with the files of a folder of results and of those in it: files of other kinds than
// README.md, CSV and SVG, tables with rows of different lengths, charts that are not XML, links to files that are not
// there, numbers that are not known written as NaN for people.
func problems(folder string) []string {
	var list []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		found := []error{}
		switch {
		case entry.Name() == "README.md":
			found = append(markdownTables(string(text)), links(filepath.Dir(path), string(text))...)
		case filepath.Ext(path) == ".csv":
			_, err := csv.NewReader(bytes.NewReader(text)).ReadAll() // refuses rows of different lengths
			found = append(found, err)
		case filepath.Ext(path) == ".svg":
			found = append(found, wellFormed(text))
		default:
			found = append(found, errors.New("is neither README.md nor CSV nor SVG"))
		}
		for _, err := range found {
			if err != nil {
				list = append(list, fmt.Sprintf("%s: %v", path, err))
			}
		}
		return nil
	})
	if err != nil {
		list = append(list, err.Error())
	}
	return list
}

func wellFormed(text []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	for elements := 0; ; elements++ {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) && elements > 0 {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// markdownTables returns an error for every row with another number of cells than the row before.
func markdownTables(text string) []error {
	var found []error
	before := 0
	for number, line := range strings.Split(text, "\n") {
		cells := 0
		if strings.HasPrefix(line, "|") {
			cells = strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if before > 0 && cells != before {
				found = append(found, fmt.Errorf("line %d has %d cells, the one before %d: %s", number+1, cells-1, before-1, line))
			}
			if strings.Contains(line, "NaN") {
				found = append(found, fmt.Errorf("line %d has NaN: %s", number+1, line))
			}
		}
		before = cells
	}
	return found
}

var link = regexp.MustCompile(`\]\(([^)#\s]+)[^)]*\)`)

// links returns an error for every relative link of a text to a file that is not there.
func links(folder, text string) []error {
	var found []error
	for _, match := range link.FindAllStringSubmatch(text, -1) {
		if strings.Contains(match[1], "://") {
			continue
		}
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(match[1]))); err != nil {
			found = append(found, fmt.Errorf("links to %s, which is not there", match[1]))
		}
	}
	return found
}

// linksOf returns what is wrong with the links of a Markdown file.
func linksOf(path string) []error {
	text, err := os.ReadFile(path)
	if err != nil {
		return []error{err}
	}
	return links(filepath.Dir(path), string(text))
}
