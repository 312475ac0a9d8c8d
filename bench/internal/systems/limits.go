// This file runs a process within limits of time and memory, and watches what it takes. It asks Linux for the memory;
// elsewhere that is 0, so programs' own figures count there, and no limit of memory holds.

package systems

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"anchorage/bench/internal/run"
)

// status says how a run ended.
type status string

// The ways in which a run ends.
const (
	made   status = "made"
	absent status = "not available here"
	memory status = "out of memory"
	late   status = "out of time"
	failed status = "failed"
	beyond status = "not tried" // with fewer items or topics it was out of memory or time
)

// ended is how a process ended.
type ended struct {
	status status
	reason string
	wall   time.Duration
	cpu    float64 // seconds of all processors, of the processes that ended by themselves
	peak   int64   // bytes
	disk   int64   // bytes
}

// The codes by which a program says why it has no topics.
const (
	codeAbsent = 3
	codeMemory = 12
)

// interval is the time between two looks at a process.
const interval = 50 * time.Millisecond

// execute runs a command in a separate process group. folder is what it writes to. The error is that of ctx.
func (l limits) execute(ctx context.Context, command, environment []string, folder string,
	stderr io.Writer) (*ended, error) {
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if l.time > 0 {
		var stop context.CancelFunc
		limited, stop = context.WithTimeoutCause(limited, l.time, &limitError{late, fmt.Sprintf("it takes longer than %v",
			l.time)})
		defer stop()
	}
	cmd := exec.CommandContext(limited, command[0], command[1:]...)
	cmd.Env = append(os.Environ(), environment...)
	inGroup(cmd)
	running, err := run.Begin(cmd, stderr)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return &ended{status: absent, reason: err.Error()}, nil
	}
	result := &ended{}
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		l.watch(cmd.Process.Pid, folder, result, done, cancel)
	}()
	process := running.Wait()
	close(done)
	<-watched
	endGroup(cmd)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	result.wall, result.cpu = process.Wall, process.CPU.Seconds()
	result.status, result.reason = judge(process, context.Cause(limited))
	return result, nil
}

// limitError says that a run reached a limit.
type limitError struct {
	status status
	reason string
}

// Error returns the reason.
func (e *limitError) Error() string { return e.reason }

// watch looks at the processes of a group until done is closed, and calls cancel where they take too much memory.
func (l limits) watch(group int, folder string, result *ended, done <-chan struct{}, cancel context.CancelCauseFunc) {
	ticks := time.NewTicker(interval)
	defer ticks.Stop()
	for {
		result.peak = max(result.peak, groupMemory(group))
		result.disk = max(result.disk, folderSize(folder))
		if l.memory > 0 && result.peak > l.memory {
			cancel(&limitError{memory, fmt.Sprintf("it takes more than %d MB", l.memory/1e6)})
		}
		select {
		case <-done:
			result.disk = max(result.disk, folderSize(folder))
			return
		case <-ticks.C:
		}
	}
}

// judge says how a process ended that may have reached a limit.
func judge(ended run.Process, cause error) (status, string) {
	var limit *limitError
	switch {
	case errors.As(cause, &limit):
		return limit.status, limit.reason
	case ended.Failure == "":
		return made, ""
	case ended.Code == codeAbsent:
		return absent, ended.Said
	case ended.Code == codeMemory:
		return memory, ended.Said
	}
	return failed, ended.Failure
}

// folderSize returns the bytes of the files below a folder. Files that vanish count as nothing.
func folderSize(folder string) (size int64) {
	filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if info, err := entry.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// groupMemory returns the resident size of a process group in bytes, up to now the largest one if it is a single
// process. Pages that several processes share count once.
func groupMemory(group int) (sum int64) {
	var members []string
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, _ := os.ReadFile(path) // nothing of a process that has ended
		// pid (name) state parent group …; the name may hold anything
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 2 && fields[2] == strconv.Itoa(group) {
			members = append(members, filepath.Dir(path))
		}
	}
	if len(members) == 1 {
		return statusBytes(members[0]+"/status", "VmHWM:")
	}
	for _, member := range members {
		sum += statusBytes(member+"/smaps_rollup", "Pss:")
	}
	return sum
}

// statusBytes returns a value that a file of the kernel gives in kB; 0 where it has none.
func statusBytes(path, name string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kilobytes * 1024
		}
	}
	return 0
}
