// This file holds the house to its budgets: lines, names, words and folders. Raising one is a decision that a diff
// shows.

package lint

import (
	"bytes"
	"go/ast"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// linesOf are the most lines of hand-written Go without tests of a folder and the folders below it; "" is the whole
// repository. The longest name that fits a file counts; "" counts all files.
var linesOf = map[string]int{
	"": 102_300, "bench": 9_470, "cmd": 8_800, "anchor": 3_110, "bayes": 5_440, "corpus": 3_570,
	"internal": 17_480, "matrix": 460,
	"metric": 2_630, "model": 4_740, "model/choose": 1_260, "model/diagnose": 670, "model/drift": 900, "model/export": 720,
	"model/fold": 360, "model/itemmap": 790, "model/fit": 4_640, "model/plan": 280,
	"model/items": 2_370, "model/report": 1_520, "model/steer": 2_140, "model/thinning": 190, "model/transform": 1_550,
	"rectify": 2_840, "serve": 3_020,
	"shard": 14_480, "sketch": 3_430, "store": 2_940, "stream": 2_200, "examples": 140, ".ci": 270,
}

const (
	mostNames       = 90     // that a public package exports: types, functions, variables and constants
	mostReadmeLines = 170    // of README.md
	mostWords       = 45_000 // of docs
	mostColumns     = 120    // of a line of Go, a tab counted as one; tests and templates of pages may have more
)

// repositoryFiles returns the files that git knows, with slashes, from the top of the repository.
func repositoryFiles(t *testing.T) []string {
	t.Helper()
	listing, err := exec.Command("git", "-C", top, "ls-files", "-z").Output()
	if err != nil || len(listing) == 0 {
		t.Skipf("git cannot list the files: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(listing), "\x00"), "\x00")
}

// read returns a file of the repository; nothing if it was removed.
func read(file string) []byte {
	content, err := os.ReadFile(filepath.Join(top, filepath.FromSlash(file)))
	if err != nil {
		return nil
	}
	return content
}

func TestBudgetOfLines(t *testing.T) {
	lines := make(map[string]int)
	for _, file := range repositoryFiles(t) {
		content := read(file)
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || bytes.HasPrefix(content,
			[]byte("// Code generated")) ||
			bytes.Contains(content, []byte("\n// Code generated")) {
			continue
		}
		count, folder := bytes.Count(content, []byte("\n")), ""
		for name := range linesOf {
			if strings.HasPrefix(file, name+"/") && len(name) > len(folder) {
				folder = name
			}
		}
		lines[""] += count
		if folder == "" {
			t.Errorf("%s: no budget of lines is for its folder", file)
		}
		lines[folder] += count
		for at, line := range strings.Split(string(content), "\n") {
			if columns := utf8.RuneCountInString(line); columns > mostColumns && !strings.HasPrefix(file, "internal/page/") {
				t.Errorf("%s:%d has %d columns, more than %d", file, at+1, columns, mostColumns)
			}
		}
	}
	for folder, most := range linesOf {
		t.Logf("%-16s %6d of %6d lines", folder, lines[folder], most)
		if lines[folder] > most {
			t.Errorf("%q has %d lines, its budget is %d", folder, lines[folder], most)
		}
	}
}

func TestBudgetOfNames(t *testing.T) {
	names := make(map[string]int)
	for _, f := range sourceFiles(t) {
		if f.test || !public(f.pkg) {
			continue
		}
		names[f.pkg] += len(exported(f.syntax))
	}
	for pkg, count := range names {
		t.Logf("%-16s %3d names", pkg, count)
		if count > mostNames {
			t.Errorf("package %s exports %d names, more than %d", pkg, count, mostNames)
		}
	}
}

// exported returns the names that a file exports, apart from methods.
func exported(file *ast.File) (names []string) {
	add := func(name *ast.Ident) {
		if name.IsExported() {
			names = append(names, name.Name)
		}
	}
	for _, declaration := range file.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				add(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add(s.Name)
				case *ast.ValueSpec:
					for _, name := range s.Names {
						add(name)
					}
				}
			}
		}
	}
	return names
}

func TestBudgetOfWords(t *testing.T) {
	words := 0
	for _, file := range repositoryFiles(t) {
		if strings.HasPrefix(file, "docs/") && strings.HasSuffix(file, ".md") {
			words += len(strings.Fields(string(read(file))))
		}
	}
	lines := bytes.Count(read("README.md"), []byte("\n"))
	t.Logf("README.md %d lines, docs %d words", lines, words)
	if lines > mostReadmeLines {
		t.Errorf("README.md has %d lines, more than %d", lines, mostReadmeLines)
	}
	if words > mostWords {
		t.Errorf("docs have %d words, more than %d", words, mostWords)
	}
}
