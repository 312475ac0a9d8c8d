// This file recognises directories of converted shards, and refuses those that are not complete.

package shard

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
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

// converted checks whether a folder is one of converted shards. If so, it must be complete, and its shards must have
// the digests that it lists. exists reports whether a file is in the folder.
func (d *discovery) converted(folder string, exists func(name string) (bool, error)) error {
	list := objects.Join(folder, ListName)
	text, err := objects.ReadFile(d.ctx, list)
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
	if there, err := exists(durable.Success); err != nil || !there {
		return &Error{Path: folder, Err: cmp.Or(err, errUnfinished)}
	}
	for name, sum := range sums {
		if there, err := exists(name); err != nil || !there {
			return cmp.Or(err, missing(list, name))
		}
		if d.expected == nil {
			d.expected = make(map[string]expectation)
		}
		d.expected[objects.Join(folder, name)] = expectation{sum, list}
	}
	return nil
}
