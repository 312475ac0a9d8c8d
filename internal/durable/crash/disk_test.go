package crash

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"anchorage/internal/durable"
)

// left returns the files that a crash leaves, with their content, sorted.
func left(t *testing.T, d *Disk, loss Loss) (files []string) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "crashed")
	if err := d.Write(folder, loss); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		files = append(files, name+"="+string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

// follow returns a disk of a new folder and a function that applies operations on paths in it.
func follow(t *testing.T) (d *Disk, folder string, apply func(...durable.Operation)) {
	t.Helper()
	folder = t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "a"), []byte("old"), 0o666); err != nil {
		t.Fatal(err)
	}
	d, err := New(folder)
	if err != nil {
		t.Fatal(err)
	}
	return d, folder, func(ops ...durable.Operation) {
		t.Helper()
		for _, op := range ops {
			op.Path = filepath.Join(folder, op.Path)
			if op.To != "" {
				op.To = filepath.Join(folder, op.To)
			}
			if err := d.Apply(op); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestUnsynced replaces a file as careless programs do: after a crash the old content is there, none, or half of the
// names.
func TestUnsynced(t *testing.T) {
	d, _, apply := follow(t)
	apply(durable.Operation{Name: "create", Path: "b"}, durable.Operation{Name: "write", Path: "b", Data: []byte("new")},
		durable.Operation{Name: "rename", Path: "b", To: "a"})
	for loss, want := range map[Loss]string{Everything: "a=old", Contents: "a=", Half: "a=old b=", Nothing: "a=new"} {
		if got := strings.Join(left(t, d, loss), " "); got != want {
			t.Errorf("a loss of %s leaves %q, want %q", loss, got, want)
		}
	}
	apply(durable.Operation{Name: "sync", Path: "a"}, durable.Operation{Name: "sync directory"})
	for _, loss := range Losses {
		if got := strings.Join(left(t, d, loss), " "); got != "a=new" {
			t.Errorf("after all was synced, a loss of %s leaves %q", loss, got)
		}
	}
}

// TestFolders loses a folder whose name was not synced, whatever was synced in it, and exchanges two in one step.
func TestFolders(t *testing.T) {
	d, _, apply := follow(t)
	apply(durable.Operation{Name: "mkdir", Path: "x"}, durable.Operation{Name: "create", Path: "x/f"},
		durable.Operation{Name: "write", Path: "x/f", Data: []byte("12345")},
		durable.Operation{Name: "truncate", Path: "x/f", Size: 2}, durable.Operation{Name: "sync", Path: "x/f"},
		durable.Operation{Name: "sync directory", Path: "x"})
	if got := strings.Join(left(t, d, Everything), " "); got != "a=old" {
		t.Errorf("left %q", got)
	}
	// a name, not a way out
	apply(durable.Operation{Name: "mkdir", Path: "z"}, durable.Operation{Name: "rename", Path: "z", To: "..z"},
		durable.Operation{Name: "remove", Path: "..z"})
	apply(durable.Operation{Name: "sync directory"}, durable.Operation{Name: "mkdir", Path: "y"},
		durable.Operation{Name: "exchange", Path: "y", To: "x"},
		durable.Operation{Name: "link", Path: "a", To: "c"}, durable.Operation{Name: "remove", Path: "a"})
	for loss, want := range map[Loss]string{Everything: "a=old x/f=12", Half: "a=old y/f=12", Nothing: "c=old y/f=12"} {
		if got := strings.Join(left(t, d, loss), " "); got != want {
			t.Errorf("a loss of %s leaves %q, want %q", loss, got, want)
		}
	}
	if d.Apply(durable.Operation{Name: "write", Path: filepath.Join(d.root, "nothing")}) == nil ||
		d.Apply(durable.Operation{Name: "sync directory", Path: filepath.Join(d.root, "a")}) == nil ||
		d.Apply(durable.Operation{Name: "create", Path: filepath.Join(d.root, "no", "folder")}) == nil {
		t.Error("operations on what is not there pass")
	}
}

// TestDurable cuts what internal/durable does at every operation: a file, a folder, and a folder that is replaced are
// old or new after any loss, and new when the call has returned.
func TestDurable(t *testing.T) {
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
	}
	folderOf := func(begin func(string) (*durable.Dir, error)) func(string, string) error {
		return func(path, s string) error {
			dir, err := begin(path)
			if err != nil {
				return err
			}
			defer dir.Abort()
			if err := dir.WriteFile("f", text(s)); err != nil {
				return err
			}
			return dir.Commit()
		}
	}
	for name, write := range map[string]func(path, s string) error{
		"WriteFile":  func(path, s string) error { return durable.WriteFile(path, text(s)) },
		"CreateFile": func(path, s string) error { return durable.CreateFile(path, []byte(s)) },
		"Create":     folderOf(durable.Create),
		"Replace":    folderOf(func(path string) (*durable.Dir, error) { return durable.Replace(path, nil) }),
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if name == "Replace" || name == "WriteFile" {
				if err := write("out", "old"); err != nil {
					t.Fatal(err)
				}
			}
			disk, err := New(".")
			if err != nil {
				t.Fatal(err)
			}
			cuts := 0
			see := func(loss Loss) string {
				found := left(t, disk, loss)
				return strings.Join(slices.DeleteFunc(found, func(s string) bool { return strings.HasPrefix(s, ".") }), " ")
			}
			before := see(Nothing)
			after := map[bool]string{true: "out/_SUCCESS= out/f=new", false: "out=new"}[name == "Create" || name == "Replace"]
			undo := durable.Observe(func(op durable.Operation) {
				if err := disk.Apply(op); err != nil {
					t.Errorf("%+v: %v", op, err)
				}
				for _, loss := range Losses {
					if got := see(loss); got != before && got != after {
						t.Errorf("after %s of %s a loss of %s leaves %q", op.Name, op.Path, loss, got)
					}
				}
				cuts++
			})
			err = write("out", "new")
			undo()
			if err != nil || cuts < 6 {
				t.Fatalf("%d operations, %v", cuts, err)
			}
			for _, loss := range Losses {
				if got := see(loss); got != after {
					t.Errorf("at the end a loss of %s leaves %q", loss, got)
				}
			}
		})
	}
}
