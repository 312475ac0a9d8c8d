// This file starts the processes that runs are made in, so that time and memory are those of one run alone.

package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// ownCommand returns command, or, where that is empty, this program with the given arguments.
func ownCommand(command []string, arguments ...string) ([]string, error) {
	if len(command) > 0 {
		return command, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return append([]string{self}, arguments...), nil
}

// process is one that has ended.
type process struct {
	wall, cpu time.Duration
	failure   string // how it ended, with the last line of what it said on standard error; empty if it ended well
}

// runProcess runs a command to its end. What it says on standard error goes to stderr, unless that is nil. When ctx is
// over it is asked to end, so that it ends what it has started in turn, and made to if it does not. The error is that
// there can be no process; where ctx ended it, that is a failure like any other.
func runProcess(ctx context.Context, command []string, stdin io.Reader, stdout, stderr io.Writer) (process, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error {
		if cmd.Process.Signal(os.Interrupt) != nil {
			return cmd.Process.Kill()
		}
		return nil
	}
	cmd.WaitDelay = 20 * time.Second
	var said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &said
	if stderr != nil {
		cmd.Stderr = io.MultiWriter(stderr, &said)
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return process{}, err
	}
	err := cmd.Wait()
	ended := process{wall: time.Since(begin), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if err != nil {
		ended.failure = strings.TrimSuffix(fmt.Sprintf("the process ended with %v: %s", err, lastLine(said.Bytes())), ": ")
	}
	return ended, nil
}

// plainCharacters have no meaning of their own to a shell.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+%@"

// ShellWords joins arguments so that a shell takes them apart again; what is plain stays so.
func ShellWords(arguments []string) string {
	words := make([]string, len(arguments))
	for i, word := range arguments {
		words[i] = word
		if word == "" || strings.Trim(word, plainCharacters) != "" {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
