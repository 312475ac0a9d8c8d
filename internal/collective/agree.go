// This file compares what ranks are to work on, where that is long.

package collective

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"
)

// AgreeLines returns a *DisagreementError unless the lines are the same on every rank. Only a digest of them moves if they are. Otherwise
// the error has the first line in which a rank differs from rank 0, "" for one that a rank does not have.
func AgreeLines(ctx context.Context, c *Comm, what string, lines []string) error {
	if c.Size() == 1 {
		return nil
	}
	text := []byte(strings.Join(lines, "\n"))
	digest := sha256.Sum256(text)
	digests, err := AllGather(ctx, c, digest[:])
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(digests, func(other []byte) bool { return !slices.Equal(other, digests[0]) }) {
		return nil
	}
	if !c.First() {
		text = nil
	}
	texts, err := AllGather(ctx, c, text)
	if err != nil {
		return err
	}
	// Every rank tells where it differs; rank 0 does not.
	own, other := difference(strings.Split(string(texts[0]), "\n"), lines)
	encoded, err := json.Marshal([]string{own, other})
	if err != nil {
		return err
	}
	if c.First() {
		encoded = nil
	}
	all, err := AllGather(ctx, c, encoded)
	if err != nil {
		return err
	}
	for r, encoded := range all {
		var pair []string
		if len(encoded) == 0 {
			continue
		}
		if err := json.Unmarshal(encoded, &pair); err != nil {
			return err
		}
		if pair[0] != pair[1] {
			return &DisagreementError{What: what, Rank: r, Own: pair[0], Other: pair[1]}
		}
	}
	return nil
}

// difference returns the first lines in which two lists differ, or "" twice.
func difference(first, own []string) (a, b string) {
	for i := range max(len(first), len(own)) {
		a, b = "", ""
		if i < len(first) {
			a = first[i]
		}
		if i < len(own) {
			b = own[i]
		}
		if a != b {
			return a, b
		}
	}
	return "", ""
}
