// This file reads and writes lists of checksums, as the program sha256sum does.

package shard

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"anchorage/internal/objects"
	"anchorage/shard/fault"
)

// maxChecksumLine is the length of the longest line of a list.
const maxChecksumLine = 64 << 10

// Checksums is a list of the SHA-256 of files.
type Checksums struct {
	path   string
	sums   map[string]string // resolved path, or URL without its query -> digest
	absent []string          // names of files of this machine that do not exist
}

// ReadChecksums reads a list of the form that sha256sum writes. Names are relative to the folder in which the list
// lies, which may be in an object store; none may lead out of that folder, not even through links. A name may also be
// the URL of an object. Errors are of type *Error.
func ReadChecksums(ctx context.Context, list string) (*Checksums, error) {
	file, err := objects.OpenStream(ctx, list)
	if err != nil {
		return nil, fault.InFile(list, err)
	}
	defer file.Close()
	c := &Checksums{path: list, sums: make(map[string]string)}
	resolve, done, err := resolver(list)
	if err != nil {
		return nil, fault.InFile(list, err)
	}
	defer done()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, maxChecksumLine)
	row := int64(0)
	for lines.Scan() {
		row++
		if err := c.add(lines.Text(), resolve); err != nil {
			return nil, &Error{Path: list, Row: row, Err: err}
		}
	}
	if err := lines.Err(); err != nil {
		return nil, &Error{Path: list, Row: row + 1, Err: err}
	}
	return c, nil
}

// add takes one line.
func (c *Checksums) add(line string, resolve func(name string) (string, error)) error {
	sum, name, err := parseSum(line)
	if err != nil || name == "" {
		return err
	}
	resolved, err := resolve(name)
	if err != nil {
		return err
	}
	if resolved == "" {
		c.absent = append(c.absent, name)
		return nil
	}
	if earlier, twice := c.sums[resolved]; twice && earlier != sum {
		return fmt.Errorf("%q is listed twice, with different checksums", name)
	}
	c.sums[resolved] = sum
	return nil
}

// parseSum takes a line apart. The name is empty if the line lists nothing.
func parseSum(line string) (sum, name string, err error) {
	line = strings.TrimSuffix(line, "\r")
	if line == "" || line[0] == '#' {
		return "", "", nil
	}
	line, escaped := strings.CutPrefix(line, `\`)
	const digits = 64
	if len(line) < digits+3 || line[digits] != ' ' || line[digits+1] != ' ' && line[digits+1] != '*' {
		return "", "", errors.New("the line does not have the form of sha256sum: 64 hexadecimal digits, two spaces, a name")
	}
	sum, name = strings.ToLower(line[:digits]), line[digits+2:]
	if _, err := hex.DecodeString(sum); err != nil {
		return "", "", fmt.Errorf("%q is not a SHA-256", sum)
	}
	if escaped {
		name = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\r`, "\r").Replace(name)
	}
	return sum, name, nil
}

// resolver returns a function that finds the file which a name in a list means, "" for none.
func resolver(list string) (resolve func(name string) (string, error), done func() error, err error) {
	if objects.IsURL(list) {
		place, err := objects.Parse(list)
		return func(name string) (string, error) {
			if objects.IsURL(name) {
				return name, nil
			}
			if name = path.Clean(name); path.IsAbs(name) || name == ".." || strings.HasPrefix(name, "../") {
				return "", outside(name)
			}
			return withoutQuery(place.Beside(name)), nil
		}, func() error { return nil }, err
	}
	folder := filepath.Dir(list)
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, nil, err
	}
	return func(name string) (string, error) {
		if objects.IsURL(name) {
			return name, nil
		}
		if name = filepath.FromSlash(name); !filepath.IsLocal(name) {
			return "", outside(name)
		}
		if _, err := root.Stat(name); errors.Is(err, fs.ErrNotExist) {
			return "", nil
		} else if err != nil {
			return "", fmt.Errorf("%w: %w", outside(name), err)
		}
		return resolvedPath(filepath.Join(folder, name))
	}, root.Close, nil
}

func outside(name string) error {
	return fmt.Errorf("%q leads out of the folder of the list; names must be relative to it", name)
}

// withoutQuery is the URL by which an object is known in lists.
func withoutQuery(place objects.Place) string {
	place.Query = ""
	return place.String()
}

// resolvedPath returns the one path that a file has behind all links.
func resolvedPath(name string) (string, error) {
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return "", err
	}
	return filepath.Abs(name)
}

// listed returns the name under which lists know the shard.
func (s Shard) listed() (string, error) {
	if s.object.Remote != nil {
		return withoutQuery(s.object.Remote.Place), nil
	}
	return resolvedPath(s.Path)
}

// Expect returns the shards with the digests of the list, which Digest compares. A shard that is not listed is an
// *Error, and so is a file or object of the list that does not exist.
func (c *Checksums) Expect(ctx context.Context, shards []Shard) ([]Shard, error) {
	if err := c.complete(ctx, shards); err != nil {
		return nil, err
	}
	expecting := make([]Shard, len(shards))
	for i, s := range shards {
		name, err := s.listed()
		if err != nil {
			return nil, fault.InFile(s.Path, err)
		}
		sum, known := c.sums[name]
		if !known {
			return nil, &Error{Path: s.Path, Err: fmt.Errorf("the file is not listed in %s", c.path)}
		}
		expecting[i] = s.Expecting(sum, c.path)
	}
	return expecting, nil
}

// complete returns an error if something listed does not exist.
func (c *Checksums) complete(ctx context.Context, shards []Shard) error {
	absent := slices.Clone(c.absent)
	found := make(map[string]bool)
	for _, s := range shards {
		if name, err := s.listed(); err == nil {
			found[name] = true
		}
	}
	for name := range c.sums {
		if !objects.IsURL(name) || found[name] {
			continue
		}
		switch there, err := objects.Exists(ctx, c.reachable(name)); {
		case err != nil:
			return fault.InFile(name, err)
		case !there:
			absent = append(absent, name)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	slices.Sort(absent)
	others := ""
	if n := len(absent) - 1; n > 0 {
		others = fmt.Sprintf(" and %d more files", n)
	}
	return &Error{Path: c.path, Err: fmt.Errorf("it lists %s%s, which %s not there: the shards are not complete",
		absent[0], others,
		map[bool]string{true: "is", false: "are"}[others == ""])}
}

// reachable returns the URL of a name with the query by which the list itself was reached.
func (c *Checksums) reachable(name string) string {
	list, err := objects.Parse(c.path)
	place, wrong := objects.Parse(name)
	if err == nil && wrong == nil && place.Bucket == list.Bucket {
		place.Query = list.Query
	}
	return place.String()
}

// Expecting returns the shard with an expected digest, with which Digest compares what it finds. from names the source
// of the digest, for the message.
func (s Shard) Expecting(sha256, from string) Shard {
	s.expected = &expectation{sha256, from}
	return s
}

// Expects reports whether the shard has a digest to be compared.
func (s Shard) Expects() bool { return s.expected != nil }

// expectation is the digest that a shard should have.
type expectation struct{ sha256, from string }

// check compares a digest with what is expected.
func (s Shard) check(sha256 string) error {
	if s.expected == nil || s.expected.sha256 == sha256 {
		return nil
	}
	return &Error{Path: s.Path,
		Err: fmt.Errorf("the file is damaged or has changed: its SHA-256 is %s, and %s says %s", sha256,
			s.expected.from, s.expected.sha256)}
}

// WriteChecksums writes the list of the shards' digests that ReadChecksums will read from the given folder, in the form
// of sha256sum. A file of this machine outside of the folder is an error, and so is one that cannot be read.
func WriteChecksums(ctx context.Context, w io.Writer, folder string, shards []Shard) error {
	for _, s := range shards {
		if s.object.IsInput() {
			return &Error{Path: s.Path, Err: errors.New("standard input has no place in a list of checksums")}
		}
		name, err := s.nameIn(folder)
		if err != nil {
			return fault.InFile(s.Path, err)
		}
		sum, err := s.Digest(ctx)
		if err != nil {
			return err
		}
		mark := ""
		if strings.ContainsAny(name, "\\\n\r") {
			mark, name = `\`, strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
		}
		if _, err := fmt.Fprintf(w, "%s%s  %s\n", mark, sum, name); err != nil {
			return err
		}
	}
	return nil
}

// nameIn returns the name of the shard in a list that lies in folder.
func (s Shard) nameIn(folder string) (string, error) {
	name, err := s.listed()
	if err != nil || s.object.Remote != nil {
		return name, err
	}
	if objects.IsURL(folder) {
		return "", errors.New("the file lies on this machine, and the list of checksums in an object store")
	}
	if folder, err = resolvedPath(folder); err != nil {
		return "", err
	}
	if name, err = filepath.Rel(folder, name); err == nil && !filepath.IsLocal(name) {
		err = fmt.Errorf("the file lies outside of %s, the folder of the list of checksums", folder)
	}
	return filepath.ToSlash(name), err
}
