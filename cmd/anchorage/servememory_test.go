package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"anchorage/internal/long"
)

// TestServeWithinMemory asks a server with a limit of memory for more at the same time than fits: whole bodies of 8
// MiB, and bodies that end early.
func TestServeWithinMemory(t *testing.T) {
	long.Test(t, "it measures the memory of a server")
	if runtime.GOOS != "linux" {
		t.Skip("the peak of another process's memory is read from /proc")
	}
	inCorpus(t, 2)
	if code, said := attempt(t, "fit", "shards", "-k", "4", "-o", "model"); code != 0 {
		t.Fatal(said)
	}
	const limit = 256 << 20
	process := exec.Command(os.Args[0], "serve", "model", "--listen", "127.0.0.1:0", "--memory-limit", fmt.Sprint(limit))
	process.Args[0] = "anchorage" // TestMain runs the program under this name
	said, err := process.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = process.Wait() }()
	defer process.Process.Kill()
	line, err := bufio.NewReader(said).ReadString('\n')
	_, address, found := strings.Cut(strings.TrimSpace(line), "http://")
	if err != nil || !found {
		t.Fatal(line, err)
	}
	document := `{"items":["item_020","item_050","item_100",` + strings.Repeat(`"item",`, 1000) + `"item"]}`
	body := []byte(`{"documents":[` + strings.Repeat(document+",", 900) + document + `]}`)
	body = append(body, bytes.Repeat([]byte{' '}, 8<<20-len(body))...)
	for _, missing := range []int{0, 1} {
		statuses := make(map[string]int)
		var clients sync.WaitGroup
		var mu sync.Mutex
		for range 100 {
			clients.Go(func() {
				status := sent(address, body, len(body)+missing)
				mu.Lock()
				defer mu.Unlock()
				statuses[status]++
			})
		}
		clients.Wait()
		t.Logf("%d bytes missing: %v", missing, statuses)
		if (statuses["200"] > 0) != (missing == 0) || statuses["503"] == 0 {
			t.Errorf("%d bytes missing: %v", missing, statuses)
		}
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	var peak int64
	_, text, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(text, &peak); err != nil {
		t.Fatal(err)
	}
	t.Logf("peak %d MiB of %d", peak>>10, limit>>20)
	if peak<<10 > limit*108/100 {
		t.Errorf("the server took %d MiB, and may take %d", peak>>10, limit>>20)
	}
}

// sent sends a body that is said to have a length and returns the status of the answer, or what came instead.
func sent(address string, body []byte, length int) string {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return err.Error()
	}
	defer connection.Close()
	fmt.Fprintf(connection, "POST /v1/transform HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: "+
		"%d\r\n\r\n", length)
	_, _ = connection.Write(body) // a refusal ends it early
	answer, err := io.ReadAll(connection)
	if len(answer) < len("HTTP/1.1 200") {
		return fmt.Sprintf("cut off: %t", err != nil)
	}
	return string(answer[len("HTTP/1.1 "):][:3])
}
