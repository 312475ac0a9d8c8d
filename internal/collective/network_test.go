// This file measures the operations over a network. examples/cluster/try-network.sh starts it.

//go:build mpi

package collective

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// TestNetwork prints, on rank 0, how long operations of several sizes take and what t = messages·latency +
// bytes/bandwidth says. ANCHORAGE_NETWORK is the bandwidth in bits per second. The latency is that of the smallest
// exchange.
func TestNetwork(t *testing.T) {
	bandwidth, err := strconv.ParseFloat(os.Getenv("ANCHORAGE_NETWORK"), 64)
	if err != nil || overLink == nil {
		return // nothing is asked for
	}
	c := From(overLink)
	sent, received := make([][]byte, c.Size()), make([][]byte, c.Size())
	for r := range sent {
		sent[r], received[r] = make([]byte, 1), make([]byte, 1)
	}
	latency := timed(t, c, 200, func(ctx context.Context) error { return Swap(ctx, c, sent, received) }) /
		float64(c.Size()-1)
	if c.First() {
		fmt.Printf("| ranks | operation | MB per rank | bytes | messages | s | model, s | s / model " +
			"|\n|--:|---|--:|--:|--:|--:|--:|--:|\n")
	}
	for _, size := range []int{1 << 3, 1 << 16, 1 << 20, 1 << 24, 1 << 26} {
		values := make([]float64, size/8)
		parts := make([][]float64, c.Size())
		for r := range parts {
			parts[r] = values[:size/8/c.Size()]
		}
		for _, op := range []struct {
			name string
			run  func(ctx context.Context) error
		}{
			{"AllGather", func(ctx context.Context) error { _, err := AllGather(ctx, c, values); return err }},
			{"AllToAll", func(ctx context.Context) error { _, err := AllToAll(ctx, c, parts); return err }},
			{"Broadcast", func(ctx context.Context) error { return Broadcast(ctx, c, 0, values) }},
		} {
			times := max(1, min(100, (1<<25)/size))
			stage := fmt.Sprintf("%s %d", op.name, size)
			c.Begin(stage)
			seconds := timed(t, c, times, op.run)
			c.Begin("")
			_, moved := c.Moved()
			bytes, messages := moved[stage].Bytes/int64(times+1), moved[stage].Messages/int64(times+1)
			model := float64(messages)*latency + 8*float64(bytes)/bandwidth
			if c.First() {
				fmt.Printf("| %d | %s | %.6g | %d | %d | %.6f | %.6f | %.2f |\n", c.Size(), op.name, float64(size)/1e6, bytes,
					messages, seconds, model, seconds/model)
			}
		}
	}
	if c.First() {
		fmt.Printf("\nlatency %.1f µs, bandwidth %.3g bit/s\n", 1e6*latency, bandwidth)
	}
}

// timed returns the seconds that fn takes, on average, after one call that counts only for what it moves. All ranks
// begin together.
func timed(t *testing.T, c *Comm, times int, fn func(ctx context.Context) error) float64 {
	t.Helper()
	var begun time.Time
	for i := range times + 1 {
		if i == 1 {
			begun = time.Now()
		}
		if err := fn(overLink); err != nil {
			t.Fatal(err)
		}
	}
	// The slowest rank counts.
	seconds := []float64{time.Since(begun).Seconds() / float64(times)}
	c.Begin("")
	if err := Max(overLink, c, seconds); err != nil {
		t.Fatal(err)
	}
	return seconds[0]
}
