package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptBaskets: baskets FILE DOCUMENTS ITEMS writes DOCUMENTS baskets of ITEMS items each, all of them different.
func scriptBaskets(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: baskets FILE DOCUMENTS ITEMS")
	}
	documents, err := strconv.Atoi(args[1])
	ts.Check(err)
	items, err := strconv.Atoi(args[2])
	ts.Check(err)
	file, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	out := bufio.NewWriter(file)
	for d := range documents {
		for i := range items {
			fmt.Fprintf(out, "item%d ", d*items+i)
		}
		fmt.Fprintln(out)
	}
	ts.Check(errors.Join(out.Flush(), file.Close()))
}

// usualAddressSpace is what the program maps before it does anything, at most, in KiB: the Go runtime reserves that
// without using it.
const usualAddressSpace = 2 << 20

// scriptUnder: under SHARE fits shards while the address space holds so much of the forecast beside what the runtime
// reserves. The fit must be done or refused with code 12: it cannot die.
func scriptUnder(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: under SHARE")
	}
	share, err := strconv.ParseFloat(args[0], 64)
	ts.Check(err)
	command := func(limit, output string) (int, string) {
		err := ts.Exec("sh", "-c", limit+"exec anchorage fit shards -k 6 -o "+output)
		text := ts.ReadFile("stderr")
		var exit *exec.ExitError
		switch {
		case err == nil:
			return exitDone, text
		case errors.As(err, &exit):
			return exit.ExitCode(), text
		}
		ts.Fatalf("%v", err)
		return 0, ""
	}
	_, text := command("", "whole"+args[0])
	forecast := regexp.MustCompile(`msg=memory .*peak="(\d+) MiB"`).FindStringSubmatch(text)
	if forecast == nil {
		ts.Fatalf("no forecast in\n%s", text)
	}
	mebi, err := strconv.Atoi(forecast[1])
	ts.Check(err)
	kibi := usualAddressSpace + int(share*float64(mebi)*1024)
	code, text := command(fmt.Sprintf("ulimit -v %d; ", kibi), "part"+args[0])
	if code != exitDone && code != exitResources {
		ts.Fatalf("exit code %d under %d KiB:\n%s", code, kibi, text)
	}
}
