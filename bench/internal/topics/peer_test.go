package topics

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"testing"

	"anchorage/internal/npy"
	"anchorage/model"
)

// The test binary is also the processes that a comparison of topics starts: of one run and, in place of Python, other
// programs.
const (
	childArgument = "topics-run"
	fakePeer      = "ANCHORAGE_FAKE_PEER" // what it does
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) == 2 && os.Args[1] == childArgument:
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		if err := Child(ctx, os.Stdin, os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case os.Getenv(fakePeer) != "" && len(os.Args) == 8:
		if err := runFakePeer(os.Getenv(fakePeer), os.Args[2:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	default:
		os.Exit(m.Run())
	}
	os.Exit(0)
}

// runFakePeer finds topics that are plain to see: topic k is the items whose index leaves k when divided by K, by tf.
func runFakePeer(what string, args []string) error {
	switch what {
	case "absent":
		fmt.Fprintln(os.Stderr, "Warning: beside the point\nNo module named sklearn")
		os.Exit(peersAbsent)
	case "broken":
		fmt.Fprintln(os.Stderr, "Traceback\nValueError: no topics today")
		os.Exit(1)
	case "slow": // until it is ended
		fmt.Fprintln(os.Stderr, "slow today")
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		<-interrupted
		os.Exit(1)
	case "mute":
		return nil
	}
	folder, output := args[1], args[2]
	var sizes [2]int
	for i := range sizes {
		var err error
		if sizes[i], err = strconv.Atoi(args[3+i]); err != nil {
			return err
		}
	}
	items, topics := sizes[0], sizes[1]
	indices, err := readIntegers(filepath.Join(folder, "indices.npy"))
	if err != nil {
		return err
	}
	counts, err := readIntegers(filepath.Join(folder, "counts.npy"))
	if err != nil {
		return err
	}
	values, sums := make([]float32, topics*items), make([]float32, topics)
	for e, i := range indices {
		values[int(i)%topics*items+int(i)] += float32(counts[e])
		sums[int(i)%topics] += float32(counts[e])
	}
	for k := range topics {
		for i := range items {
			values[k*items+i] /= sums[k]
		}
	}
	if what == "short" {
		values = values[:len(values)-1]
	}
	header := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }\n", topics, items)
	if err := os.WriteFile(output, npyFile(header, values), 0o644); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(PeerAnswer{Stages: []model.StageTime{{Name: "load", Seconds: 5, CPU: 6}, {Name: "fit", Seconds: 2, CPU: 3}},
		PeakBytes: 7, Program: "fake 1.0"})
}

// readIntegers reads an array of int32.
func readIntegers(path string) ([]int32, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	descr, _, shape, err := npy.ReadHeader(file)
	if err != nil || descr != "<i4" {
		return nil, fmt.Errorf("%s: %q, %w", path, descr, err)
	}
	values := make([]int32, shape[0])
	return values, binary.Read(file, binary.LittleEndian, values)
}
