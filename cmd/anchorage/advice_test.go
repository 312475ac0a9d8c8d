package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"anchorage/shard"
	"anchorage/shard/fault"
)

// TestAdvice reads a table whose columns are not clear: the library says what is wrong, and the program adds the flag.
func TestAdvice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "two.csv")
	if err := os.WriteFile(path, []byte("order,sku,item\n1,2,3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	shards, err := shard.Discover(t.Context(), []string{path}, shard.Options{Format: shard.CSV})
	if err != nil {
		t.Fatal(err)
	}
	parts, err := shards[0].Parts(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = shard.Open(t.Context(), parts[0])
	if err == nil || strings.Contains(err.Error(), "--") {
		t.Errorf("the library says %v", err)
	}
	if got := advice(fmt.Errorf("reading: %w", err)); got != ": choose with --items-column" {
		t.Errorf("the advice is %q", got)
	}
	if got := advice(errors.New("x")); got != "" {
		t.Errorf("advice about an error of another kind: %q", got)
	}
}

// TestAdviceForReasons wants advice for every reason, and wants it to name a flag that fit has.
func TestAdviceForReasons(t *testing.T) {
	flags := new(program).fitCommand().Flags()
	flag := regexp.MustCompile(`--([a-z-]+)`)
	for reason := fault.Unspecified + 1; reason < fault.DecoderFailed; reason++ {
		text := shardAdvice[reason]
		named := flag.FindAllStringSubmatch(text, -1)
		if len(named) == 0 || !strings.HasPrefix(text, ": ") && !strings.HasPrefix(text, "; ") {
			t.Errorf("reason %d: advice %q", reason, text)
		}
		for _, name := range named {
			if flags.Lookup(name[1]) == nil {
				t.Errorf("reason %d: fit has no flag --%s", reason, name[1])
			}
		}
	}
}
