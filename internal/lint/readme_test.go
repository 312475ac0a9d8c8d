// This file compares the documents with the code.

package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeSnippet checks that the Go code of the README is the body of an example, which is compiled.
func TestReadmeSnippet(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(top, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile(filepath.Join(top, "model", "fit", "example_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, code, found := strings.Cut(string(readme), "```go\n")
	code, _, closed := strings.Cut(code, "```")
	if !found || !closed {
		t.Fatal("the README has no Go code")
	}
	if !strings.Contains(dedented(string(examples)), dedented(code)) {
		t.Errorf("no example in model/fit/example_test.go has the README's Go code:\n%s", code)
	}
}

// dedented returns text without the white space at the beginning of its lines.
func dedented(text string) string { return regexp.MustCompile(`(?m)^\s+`).ReplaceAllString(text, "") }

// link is a relative link of a Markdown file.
var link = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)

// TestLinks checks that the files exist that documents link to.
func TestLinks(t *testing.T) {
	count := 0
	for _, file := range documents(t) {
		text, err := os.ReadFile(filepath.Join(top, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(text), -1) {
			count++
			if _, err := os.Stat(filepath.Join(top, filepath.Dir(file), match[1])); err != nil {
				t.Errorf("%s links to %s, which does not exist", file, match[1])
			}
		}
	}
	if count < 20 {
		t.Errorf("only %d links found: the search is broken", count)
	}
}

// documents returns the Markdown files of the repository.
func documents(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(top, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != top && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".md") {
			name, err := filepath.Rel(top, path)
			files = append(files, name)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
