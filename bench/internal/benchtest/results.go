// Package benchtest holds what tests of bench share: it checks folders of results.
package benchtest

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Text returns a file's text.
func Text(t testing.TB, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Says fails the test for every wanted text that the text does not have.
func Says(t testing.TB, what, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%s does not say %q:\n%s", what, want, text)
		}
	}
}

// Only fails the test unless the folder holds exactly the files of these names.
func Only(t testing.TB, folder string, names ...string) {
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

// Results fails the test where a folder of results is not as such a folder must be.
func Results(t testing.TB, folder string) {
	t.Helper()
	for _, problem := range Problems(folder) {
		t.Error(problem)
	}
}

// Problems returns what is wrong with the files of a folder of results and of those in it: files of other kinds than
// README.md, CSV and SVG, tables with rows of different lengths, charts that are not XML, links to files that are not
// there, numbers that are not known written as NaN for people.
func Problems(folder string) []string {
	var problems []string
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
				problems = append(problems, fmt.Sprintf("%s: %v", path, err))
			}
		}
		return nil
	})
	if err != nil {
		problems = append(problems, err.Error())
	}
	return problems
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

// Links returns what is wrong with the links of a Markdown file.
func Links(path string) []error {
	text, err := os.ReadFile(path)
	if err != nil {
		return []error{err}
	}
	return links(filepath.Dir(path), string(text))
}
