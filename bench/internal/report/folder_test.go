package report

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/bench/internal/benchtest"
	"anchorage/internal/durable"
)

func TestFolder(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "results")
	folder, err := NewFolder(path + "/")
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.AddTables(forms()); err != nil {
		t.Fatal(err)
	}
	if err := folder.AddText("README.md", "# Results\n\n![chart](chart.svg)\n"); err != nil {
		t.Fatal(err)
	}
	if err := folder.AddChart("chart.svg", someChart()); err != nil {
		t.Fatal(err)
	}
	if names := strings.Join(folder.Names(), " "); names != "forms.csv README.md chart.svg" {
		t.Errorf("names %s", names)
	}
	benchtest.Only(t, root) // nothing is written before Commit
	if err := folder.Commit(); err != nil {
		t.Fatal(err)
	}
	benchtest.Only(t, root, "results")
	benchtest.Only(t, path, "README.md", "chart.svg", "forms.csv")
	benchtest.Results(t, path)
	if _, err := NewFolder(path); !errors.Is(err, durable.ErrExists) {
		t.Errorf("a folder that is there: %v", err)
	}
}

// A file that cannot be made, or a place that is taken meanwhile, leaves nothing.
func TestFolderFails(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "results")
	folder, err := NewFolder(path)
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	if err := folder.Add("table.csv", func(io.Writer) error { return broken }); !errors.Is(err, broken) || len(folder.Names()) != 0 {
		t.Errorf("%v, %v", err, folder.Names())
	}
	if err := folder.AddText("README.md", "ours"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := folder.Commit(); !errors.Is(err, durable.ErrExists) {
		t.Errorf("%v", err)
	}
	benchtest.Only(t, root, "results")
	benchtest.Only(t, path)
	nowhere, err := NewFolder(filepath.Join(root, "no", "such", "folder"))
	if err != nil {
		t.Fatal(err)
	}
	if err := nowhere.Commit(); err == nil || !strings.Contains(err.Error(), "making room") {
		t.Errorf("%v", err)
	}
}

func TestScratch(t *testing.T) {
	root := t.TempDir()
	path, remove, err := Scratch(root)
	if err != nil || filepath.Dir(path) != root {
		t.Fatalf("%s: %v", path, err)
	}
	if err := os.WriteFile(filepath.Join(path, "x"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := remove(); err != nil {
		t.Error(err)
	}
	benchtest.Only(t, root)
}

func TestOrigin(t *testing.T) {
	origin := NewOrigin("go run ./bench truth", 3)
	text := origin.Begin("Title", "RESULTS is this folder;").String()
	benchtest.Says(t, "the beginning", text, "# Title\n\nMade on 2", " by\n\n```\ngo run ./bench truth\n```\n\nRESULTS is this folder;\n\non\n\n- ",
		" processors, ", "3 workers")
	if strings.Contains(Origin{}.Begin("x", "").String(), "\n\n\n") {
		t.Error("an empty note leaves an empty paragraph")
	}
}
