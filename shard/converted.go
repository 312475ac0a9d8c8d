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

// listLine matches a line of such a list: a SHA-256 and the name of a converted shard.
var listLine = regexp.MustCompile(`^([0-9a-f]{64})  (part-[0-9]{5,}\.parquet)\n?$`)

// errUnfinished says that a directory of converted shards was not completed.
var errUnfinished = errors.New("the directory of converted shards is not complete: it has no " + durable.Success +
	"; convert the documents or copy the directory again, or name its files, one by one or by a pattern, to read those " +
	"that are there")

// ConvertedSums returns the digests in a list of checksums by name, or nil if the list is not of converted shards only.
func ConvertedSums(list string) map[string]string {
	sums := make(map[string]string)
	for line := range strings.Lines(list) {
		part := listLine.FindStringSubmatch(line)
		if part == nil {
			return nil
		}
		sums[part[2]] = part[1]
	}
	if len(sums) == 0 {
		return nil
	}
	return sums
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
			return cmp.Or[error](err, &Error{Path: list, Err: fmt.Errorf("it lists %s, which is not there: convert the "+
				"documents or copy the directory again, or name its files, one by one or by a pattern, to read those that are "+
				"there", name)})
		}
		d.expected[objects.Join(folder, name)] = expectation{sum, list}
	}
	return nil
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
