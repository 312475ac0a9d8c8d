// This file recognises directories of converted shards, and refuses those that are not complete.

package shard

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"anchorage/internal/durable"
	"anchorage/internal/objects"
	"anchorage/shard/fault"
)

// ListName is the name of the list of checksums in a directory of converted shards.
const ListName = "SHA256SUMS"

// convertedName matches the names of converted shards.
var convertedName = regexp.MustCompile(`^part-[0-9]{5,}\.parquet$`)

// errUnfinished says that a directory of converted shards was not completed.
var errUnfinished = errors.New("the directory of converted shards is not complete: it has no " + durable.Success +
	"; convert the documents or copy the directory again, or name its files, one by one or by a pattern, to read those " +
	"that are there")

// ConvertedSums returns the digests in a list of checksums by name, or nil if the list is not of converted shards only.
func ConvertedSums(list string) map[string]string {
	sums := make(map[string]string)
	for line := range strings.Lines(list) {
		sum, name, err := parseSum(strings.TrimSuffix(line, "\n"))
		if err == nil && name == "" {
			continue
		}
		if err != nil || !convertedName.MatchString(name) {
			return nil
		}
		sums[name] = sum
	}
	if len(sums) == 0 {
		return nil
	}
	return sums
}

// missing is the error for a converted shard that is listed but not there.
func missing(list, name string) error {
	return &Error{Path: list, Err: fmt.Errorf("it lists %s, which is not there: convert the documents or copy the "+
		"directory again, or name its files, one by one or by a pattern, to read those that are there", name)}
}

// converted looks whether a directory of this machine is one of converted shards. If so, it must be complete, and its
// shards must have the digests that it lists.
func (d *discovery) converted(folder string) error {
	list := filepath.Join(folder, ListName)
	text, err := os.ReadFile(list)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fault.InFile(list, err)
	}
	sums := ConvertedSums(string(text))
	if sums == nil {
		return nil
	}
	if _, err := os.Stat(filepath.Join(folder, durable.Success)); errors.Is(err, fs.ErrNotExist) {
		return &Error{Path: folder, Err: errUnfinished}
	}
	for name, sum := range sums {
		file := filepath.Join(folder, name)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return missing(list, name)
		}
		d.expect(file, sum, list)
	}
	return nil
}

// marks are the files of a folder in a store that say whether it is one of converted shards, by the key of the folder.
type marks struct {
	lists     map[string]objects.Place
	succeeded map[string]bool
	keys      map[string]bool // of all other objects
}

// note takes an object into account.
func (m *marks) note(info objects.Info) {
	if m.keys == nil {
		m.lists, m.succeeded, m.keys = make(map[string]objects.Place), make(map[string]bool), make(map[string]bool)
	}
	switch folder, name := path.Split(info.Key); name {
	case ListName:
		m.lists[folder] = info.Place
	case durable.Success:
		m.succeeded[folder] = true
	default:
		m.keys[info.Key] = true
	}
}

// convertedRemote is converted for the folders of a store.
func (d *discovery) convertedRemote(m *marks) error {
	for folder, place := range m.lists {
		text, err := objects.ReadFile(d.ctx, place.String())
		if err != nil {
			return fault.InFile(place.String(), err)
		}
		sums := ConvertedSums(string(text))
		if sums == nil {
			continue
		}
		if !m.succeeded[folder] {
			return &Error{Path: place.At(folder).String(), Err: errUnfinished}
		}
		for name, sum := range sums {
			if !m.keys[folder+name] {
				return missing(place.String(), name)
			}
			d.expect(place.At(folder+name).String(), sum, place.String())
		}
	}
	return nil
}

// expect notes the digest that a file or object must have.
func (d *discovery) expect(file, sum, list string) {
	if d.expected == nil {
		d.expected = make(map[string]expectation)
	}
	d.expected[file] = expectation{sum, list}
}
