// This file starts processes for runs, so that time and memory are those of one run alone.

package report

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

// OwnCommand returns command; if that is empty, this program with the given arguments.
func OwnCommand(command []string, arguments ...string) ([]string, error) {
	if len(command) > 0 {
		return command, nil
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return append([]string{self}, arguments...), nil
}

// Process is one that has ended.
type Process struct {
	Wall, CPU time.Duration
	Code      int    // exit code; -1 where a signal ended it
	Said      string // the last line on standard error
	Failure   string // how it ended, with the last line of what it said on standard error; empty if it ended well
}

// RunProcess runs a command to its end. Its standard error goes to stderr, unless that is nil. When ctx ends, the process gets an
// interrupt, so that it can end what it has started; after a while it is killed. The error says that no process could be started;
// an end by ctx is a failure like any other.
func RunProcess(ctx context.Context, command []string, stdin io.Reader, stdout, stderr io.Writer) (Process, error) {
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
		return Process{}, err
	}
	err := cmd.Wait()
	ended := Process{Wall: time.Since(begin), Code: cmd.ProcessState.ExitCode()}
	ended.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	ended.Said = lastLine(said.Bytes())
	if err != nil {
		ended.Failure = strings.TrimSuffix(fmt.Sprintf("the process ended with %v: %s", err, ended.Said), ": ")
	}
	return ended, nil
}

// plainCharacters have no meaning of their own to a shell.
const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+%@"

// ShellWords joins arguments, quoted where a shell needs it.
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

// lastLine returns the last line of a text that is not empty.
func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}
