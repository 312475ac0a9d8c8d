// This file compares what ranks are to work on, before they do.

package collective

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// DisagreementError says that two ranks do not work on the same.
type DisagreementError struct {
	What        string // what differs
	Rank        int    // the first rank whose lines are not those of rank 0
	Own, Other  string // the first lines of rank 0 and of Rank that differ; "" for one that is missing
	First, Host string // the hosts of rank 0 and of Rank; "" if they are not known
}

func (e *DisagreementError) Error() string {
	return fmt.Sprintf("the ranks do not agree on the %s: rank %d%s has %s, and rank 0%s has %s", e.What, e.Rank,
		onHost(e.Host), orNothing(e.Other), onHost(e.First), orNothing(e.Own))
}

func onHost(host string) string {
	if host == "" {
		return ""
	}
	return " on " + host
}

func orNothing(text string) string {
	if text == "" {
		return "nothing there"
	}
	return fmt.Sprintf("%q", text)
}

// Agree returns a *DisagreementError unless the lines are the same on every rank. If they are, only a digest of them
// moves.
func Agree(ctx context.Context, c *Comm, what string, lines ...string) error {
	if c.Size() == 1 {
		return nil
	}
	text := []byte(strings.Join(lines, "\n"))
	digest := sha256.Sum256(text)
	digests, err := AllGather(ctx, c, digest[:])
	if err != nil {
		return err
	}
	rank := slices.IndexFunc(digests, func(other []byte) bool { return !bytes.Equal(other, digests[0]) })
	if rank < 0 {
		return nil
	}
	texts, err := AllGather(ctx, c, text)
	if err != nil {
		return err
	}
	own, other := difference(strings.Split(string(texts[0]), "\n"), strings.Split(string(texts[rank]), "\n"))
	return &DisagreementError{What: what, Rank: rank, Own: own, Other: other, First: c.Host(0), Host: c.Host(rank)}
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

// ShareError returns the error of rank 0 on all ranks. What it wraps of the known ones, it wraps on all.
func ShareError(ctx context.Context, c *Comm, err error, known ...error) error {
	if c.Size() == 1 {
		return err
	}
	own := struct {
		Text string
		Is   int // which of known it wraps, −1 for none
	}{}
	if err != nil {
		own.Text, own.Is = err.Error(), slices.IndexFunc(known, func(one error) bool { return errors.Is(err, one) })
	}
	all, failed := GatherJSON(ctx, c, own)
	switch {
	case failed != nil:
		return cmp.Or(err, failed)
	case c.First() || all[0].Text == "":
		return err
	case all[0].Is < 0:
		return errors.New(all[0].Text)
	}
	return &CausedError{all[0].Text, known[all[0].Is]}
}

// CausedError is an error with a text that need not have that of its cause.
type CausedError struct {
	Text  string
	Cause error
}

func (e *CausedError) Error() string { return e.Text }
func (e *CausedError) Unwrap() error { return e.Cause }

// UnsharedError says that a rank does not see a folder of rank 0.
type UnsharedError struct {
	Folder string // as rank 0 sees it
	Rank   int
	Host   string // "" if it is not known
}

func (e *UnsharedError) Error() string {
	return fmt.Sprintf("rank %d%s does not see what rank 0 writes to %s: all ranks need the same folder", e.Rank,
		onHost(e.Host), e.Folder)
}

// How long, and how often, a rank looks for what another has written: folders of networks take a while.
const (
	shareWait = 5 * time.Second
	shareStep = 50 * time.Millisecond
)

// ShareFolder returns an *UnsharedError unless all ranks see the same folder: rank 0 writes a file with a random name
// there, and the others look for it.
func ShareFolder(ctx context.Context, c *Comm, folder string) (err error) {
	// A relative path may mean something else on each rank.
	whole, err := filepath.Abs(folder)
	if err != nil {
		whole = folder
	}
	var said [2]string // the name of the file, and the folder
	if c.First() {
		said = [2]string{".anchorage-" + rand.Text(), whole}
		marker := filepath.Join(folder, said[0])
		if err := os.WriteFile(marker, nil, 0o600); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.Remove(marker)) }()
	}
	all, err := GatherJSON(ctx, c, said)
	if err != nil {
		return err
	}
	said = all[0]
	seen := []uint8{0}
	if c.First() || appears(ctx, filepath.Join(folder, said[0])) {
		seen[0] = 1
	}
	each, err := AllGather(ctx, c, seen)
	if err != nil {
		return err
	}
	if rank := slices.IndexFunc(each, func(seen []uint8) bool { return seen[0] == 0 }); rank >= 0 {
		return &UnsharedError{Folder: said[1], Rank: rank, Host: c.Host(rank)}
	}
	return nil
}

// appears reports whether a file is there, or comes soon.
func appears(ctx context.Context, path string) bool {
	for until := time.Now().Add(shareWait); ; {
		if _, err := os.Stat(path); err == nil {
			return true
		}
		if time.Now().After(until) || ctx.Err() != nil {
			return false
		}
		time.Sleep(shareStep)
	}
}
