// Package crash follows what internal/durable does to a folder, on a disk in memory that knows what was synced, and
// makes the folder as a crash of the machine would leave it. It is strict: the content of a file lasts as it was at the
// last sync of the file, a name as it was at the last sync of its folder. Only a renaming, and an exchange, happen
// whole or not at all. Operations that do not go through internal/durable, such as the removal of temporary files after
// an error, are not seen.
//
// A Disk belongs to one goroutine at a time.
package crash

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/internal/durable"
)

// Loss is what a crash takes of that which was not synced.
type Loss string

// The losses. A file system may write names before contents, or some names and not others.
const (
	Everything Loss = "everything"        // all that was not synced is lost
	Contents   Loss = "contents"          // names last, but the contents of files that were not synced are lost
	Half       Loss = "half of the names" // the first half of each folder's changes of names lasts, with synced contents
	Nothing    Loss = "nothing"           // the process died, not the machine
)

// Losses are all losses.
var Losses = []Loss{Everything, Contents, Half, Nothing}

// node is a file, a folder or a symbolic link.
type node struct {
	link    string
	folder  bool
	content []byte // of a file
	synced  []byte
	names   map[string]*node // of a folder
	lasting map[string]*node // as they were when the folder was synced
	changes []change         // since then
}

// change is a change of names that lasts whole or not at all. A nil node is a name that is gone.
type change map[string]*node

// Disk is a folder and what was done to it.
type Disk struct {
	root string // absolute
	top  *node
	open map[string]*node // files by the absolute path under which they were opened last; they may have lost it since
}

// New returns a disk with what is in a folder now, all of it synced.
func New(root string) (*Disk, error) {
	root = absolute(root)
	d := &Disk{root: root, open: make(map[string]*node)}
	var err error
	d.top, err = read(root)
	return d, err
}

// read reads a file or folder with all that is in it.
func read(path string) (*node, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	n := &node{folder: info.IsDir()}
	switch {
	case n.folder:
		n.names = make(map[string]*node)
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			if n.names[entry.Name()], err = read(filepath.Join(path, entry.Name())); err != nil {
				return nil, err
			}
		}
		n.lasting = maps.Clone(n.names)
	case info.Mode()&fs.ModeSymlink != 0:
		n.link, err = os.Readlink(path)
	default:
		n.content, err = os.ReadFile(path)
		n.synced = n.content
	}
	return n, err
}

// find returns the folder that holds a path, and its name there; nil if the path is not below the root. An error says
// that a folder is not known.
func (d *Disk) find(path string) (folder *node, name string, err error) {
	path = absolute(path)
	rest, err := filepath.Rel(d.root, path)
	if err != nil || rest == "." || rest == ".." || strings.HasPrefix(filepath.ToSlash(rest), "../") {
		return nil, "", err
	}
	parts := strings.Split(filepath.ToSlash(rest), "/")
	folder = d.top
	for _, part := range parts[:len(parts)-1] {
		if folder = folder.names[part]; folder == nil || !folder.folder {
			return nil, "", fmt.Errorf("%s lies in a folder that nothing made", path)
		}
	}
	return folder, parts[len(parts)-1], nil
}

// make gives a folder a change of names.
func (n *node) make(c change) {
	for name, to := range c {
		if to == nil {
			delete(n.names, name)
		} else {
			n.names[name] = to
		}
	}
	n.changes = append(n.changes, c)
}

// Apply does to the disk what was done to the folder. Paths outside of the folder do not count. The error is about an
// operation on what the disk does not have.
func (d *Disk) Apply(op durable.Operation) error {
	switch op.Name {
	case "sync directory":
		return d.syncFolder(op.Path)
	case "write", "truncate", "sync":
		return d.change(op)
	case "close", "write at", "lock", "stat", "open directory":
		return nil
	}
	folder, name, err := d.find(op.Path)
	if op.Name == "symlink" {
		folder, name, err = d.find(op.To)
	}
	if err != nil || folder == nil {
		return err
	}
	if op.Name == "rename" || op.Name == "exchange" || op.Name == "link" {
		return d.name(op, folder, name)
	}
	at := folder.names[name]
	switch op.Name {
	case "create":
		if at == nil {
			at = &node{}
			folder.make(change{name: at})
		}
		d.open[absolute(op.Path)] = at
	case "mkdir":
		folder.make(change{name: {folder: true, names: make(map[string]*node)}})
	case "symlink":
		folder.make(change{name: {link: op.Path}})
	case "remove":
		if at != nil {
			folder.make(change{name: nil})
		}
	}
	return nil
}

// absolute returns the absolute form of a path.
func absolute(path string) string {
	whole, err := filepath.Abs(path)
	if err != nil {
		panic("crash: there is no working directory")
	}
	return whole
}

// change changes a file.
func (d *Disk) change(op durable.Operation) error {
	n := d.open[absolute(op.Path)]
	if n == nil {
		if folder, name, err := d.find(op.Path); err != nil || folder == nil {
			return err
		} else if n = folder.names[name]; n == nil || n.folder {
			return fmt.Errorf("%s of %s, which is no file", op.Name, op.Path)
		}
	}
	switch op.Name {
	case "write":
		n.content = append(slices.Clip(n.content), op.Data...)
	case "truncate":
		n.content = append(slices.Clone(n.content[:min(int64(len(n.content)), op.Size)]), make([]byte,
			max(op.Size-int64(len(n.content)), 0))...)
	case "sync":
		n.synced = slices.Clone(n.content)
	}
	return nil
}

// name renames, exchanges or links what is in a folder, within it.
func (d *Disk) name(op durable.Operation, folder *node, name string) error {
	target, other, err := d.find(op.To)
	at := folder.names[name]
	switch {
	case err != nil:
		return err
	case target != folder || at == nil:
		return fmt.Errorf("%s of %s to %s: not known, or to another folder", op.Name, op.Path, op.To)
	case op.Name == "rename":
		folder.make(change{name: nil, other: at})
	case op.Name == "link":
		folder.make(change{other: at})
	default:
		folder.make(change{name: folder.names[other], other: at})
	}
	return nil
}

// syncFolder makes the names in a folder lasting.
func (d *Disk) syncFolder(path string) error {
	n := d.top
	folder, name, err := d.find(path)
	if err != nil || folder == nil && absolute(path) != d.root {
		return err
	}
	if folder != nil {
		n = folder.names[name]
	}
	if n == nil || !n.folder {
		return fmt.Errorf("sync of %s, which is no folder", path)
	}
	n.lasting, n.changes = maps.Clone(n.names), nil
	return nil
}

// Write writes into a folder, which must not exist, what a crash now leaves after a loss.
func (d *Disk) Write(folder string, loss Loss) error { return d.top.write(folder, loss) }

// write writes what a crash leaves of a file or folder.
func (n *node) write(path string, loss Loss) error {
	switch {
	case n.link != "":
		return os.Symlink(n.link, path)
	case !n.folder && loss == Nothing:
		return os.WriteFile(path, n.content, 0o666)
	case !n.folder:
		return os.WriteFile(path, n.synced, 0o666)
	}
	err := os.Mkdir(path, 0o777)
	for name, at := range n.left(loss) {
		err = errors.Join(err, at.write(filepath.Join(path, name), loss))
	}
	return err
}

// left returns the names in a folder that are left after a loss.
func (n *node) left(loss Loss) map[string]*node {
	changes := 0
	switch loss {
	case Contents, Nothing:
		return n.names
	case Half:
		changes = (len(n.changes) + 1) / 2
	}
	names := &node{names: maps.Clone(n.lasting)}
	if names.names == nil {
		names.names = make(map[string]*node)
	}
	for _, c := range n.changes[:changes] {
		names.make(c)
	}
	return names.names
}
