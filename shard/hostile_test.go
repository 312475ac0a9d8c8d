package shard

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"anchorage/internal/long"
	"anchorage/shard/documents"
)

const (
	// hostileEnv makes this test binary the child of TestHostile: it names the list of files.
	hostileEnv = "ANCHORAGE_HOSTILE"
	// hostileSeconds is the processor time that one file may take; hostileWait is how long the child may be silent, which
	// is more because other processes may want the processors.
	hostileSeconds = 10
	hostileWait    = 5 * time.Minute
	// hostileMemory bounds the memory of the child: the largest page before and after decompression and its dictionary,
	// twice over for what the garbage collector has not taken back.
	hostileMemory = 1536 << 20
)

// TestHostile reads the fixtures and the corpus of malformed files, and damaged variants of all of them, in a process
// of their own: it must not die, take long, or take much memory, and each reading must end in success or an *Error.
func TestHostile(t *testing.T) {
	if list := os.Getenv(hostileEnv); list != "" {
		readHostile(t, list)
		return
	}
	long.Test(t, "it damages every file of testdata")
	var paths []string
	for _, pattern := range []string{"testdata/*/*", "../testdata/broken/*", "../testdata/wiki/part-00000.parquet"} {
		found, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		paths = append(paths, found...)
	}
	if root := os.Getenv(corpusEnv); root != "" {
		more, err := filepath.Glob(filepath.Join(root, "*", "*"))
		if err != nil || len(more) == 0 {
			t.Fatalf("no files in %s: %v", root, err)
		}
		paths = append(paths, more...)
	}
	list := writeFile(t, filepath.Join(t.TempDir(), "list"), strings.Join(paths, "\n"))
	child := exec.Command(os.Args[0], "-test.run=^TestHostile$", "-test.v", "-test.timeout=0")
	child.Env = append(os.Environ(), hostileEnv+"="+list)
	var rest bytes.Buffer
	child.Stderr = &rest
	output, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	current := "nothing"
	silent := time.AfterFunc(hostileWait, func() { child.Process.Kill() })
	defer silent.Stop()
	lines := bufio.NewScanner(output)
	done := 0
	for lines.Scan() {
		silent.Reset(hostileWait)
		switch kind, text, _ := strings.Cut(lines.Text(), " "); kind {
		case "reading":
			current = text
		case "done":
			done++
		case "bad":
			t.Error(text)
		}
	}
	if err := child.Wait(); err != nil {
		t.Fatalf("the process ended while it read %s: %v\n%.4000s", current, err, rest.String())
	}
	t.Logf("%d readings of %d files", done, len(paths))
	if done < 5*len(paths) {
		t.Errorf("only %d readings of %d files", done, len(paths))
	}
}

// readHostile is the child.
func readHostile(t *testing.T, list string) {
	debug.SetGCPercent(50)
	names, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, path := range strings.Split(string(names), "\n") {
		data, err := os.ReadFile(path)
		if err != nil {
			continue // a folder
		}
		kind := filepath.Base(filepath.Dir(path))
		for variant := range 9 {
			copied := filepath.Join(dir, filepath.Base(path))
			if err := os.WriteFile(copied, damaged(data, variant), 0o666); err != nil {
				t.Fatal(err)
			}
			fmt.Printf("reading %s, variant %d\n", path, variant)
			begin := cpuSeconds()
			debug.FreeOSMemory()
			resetPeak()
			if err := readEveryWay(copied, kind); err != nil {
				fmt.Printf("bad %s, variant %d: %v\n", path, variant, err)
			}
			if peak := peakMemory(); peak > hostileMemory {
				fmt.Printf("bad %s, variant %d: %d MiB of memory\n", path, variant, peak>>20)
			}
			if took := cpuSeconds() - begin; took > hostileSeconds {
				fmt.Printf("bad %s, variant %d: %.1f s\n", path, variant, took)
			}
			fmt.Println("done")
			os.Remove(copied)
		}
	}
}

// damaged returns a variant of a file: 0 is the file as it is.
func damaged(data []byte, variant int) []byte {
	if variant == 0 || len(data) == 0 {
		return data
	}
	random := rand.New(rand.NewPCG(uint64(variant), uint64(len(data))))
	result := bytes.Clone(data)
	at := random.IntN(len(data))
	switch {
	case variant <= 4: // a flipped bit; half of them near the end, where footers lie
		if variant > 2 {
			at = max(0, len(data)-1-random.IntN(min(400, len(data))))
		}
		result[at] ^= 1 << random.IntN(8)
	case variant <= 6:
		return result[:at]
	default: // a size that lies
		lie := [][]byte{{0xff, 0xff, 0xff, 0x7f}, {0xff, 0xff, 0xff, 0xff, 0x0f}}[variant%2]
		copy(result[at:], lie)
	}
	return result
}

// readEveryWay reads a file as what it is, as what the folder of the corpus is called, and column by column. The error
// is one that is no *Error.
func readEveryWay(path, kind string) error {
	ways := []Options{{}, {MaxBadRows: 1000, Counts: CountRule{Fractions: documents.Round, DropNegative: true,
		DropZero: true, DropEmpty: true}}}
	if format, err := ParseFormat(kind); err == nil {
		ways = append(ways, Options{Format: format})
	}
	ctx := context.Background()
	var place *Error
	for _, opts := range ways {
		opts.KeepBad = true
		shards, err := Discover(ctx, []string{path}, opts)
		if err == nil {
			_, err = drain(ctx, shards[0])
		}
		if err != nil && !errors.As(err, &place) {
			return fmt.Errorf("%+v: error of type %T: %w", opts, err, err)
		}
	}
	if kind == "parquet" || strings.HasSuffix(path, ".parquet") {
		_, err := everyColumn(ctx, path, Parquet)
		return err
	}
	return nil
}

// peakMemory returns the largest resident size since resetPeak, 0 where the system does not tell.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

func resetPeak() {
	if file, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0); err == nil {
		io.WriteString(file, "5")
		file.Close()
	}
}

// cpuSeconds returns the processor time of the process, 0 where the system does not tell.
func cpuSeconds() float64 {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}
