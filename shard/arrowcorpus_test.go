package shard

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"anchorage/internal/long"
)

// TestCorpusArrow decodes every column of the malformed Arrow files.
func TestCorpusArrow(t *testing.T) {
	const limit = 10 * time.Second
	const memory = 2 << 30
	decoded := 0
	for _, path := range corpusFiles(t, "arrow") {
		t.Run(filepath.Base(path), func(t *testing.T) {
			start := time.Now()
			columns, documents := decodeArrow(t, path)
			decoded += columns
			t.Logf("%d columns, %d documents", columns, documents)
			if elapsed := time.Since(start); elapsed > limit {
				t.Errorf("took %v", elapsed)
			}
			var stats runtime.MemStats
			if runtime.ReadMemStats(&stats); stats.HeapInuse > memory {
				t.Errorf("%d MiB of heap", stats.HeapInuse>>20)
			}
		})
	}
	if decoded == 0 {
		t.Error("no file has a column that is decoded")
	}
}

// TestArrowDamaged cuts Arrow files and flips bytes of them: whatever happens, it must be an *Error or a success.
func TestArrowDamaged(t *testing.T) {
	for name, layout := range arrowLayouts() {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.arrow")
			layout.write(t, path, layout.prepared(sample()[:60]))
			whole, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			failed := 0
			try := func(data []byte) {
				if err := os.WriteFile(path, data, 0o666); err != nil {
					t.Fatal(err)
				}
				decodeArrow(t, path)
				if _, err := collect(t, Options{Format: Arrow}, path); err != nil {
					wantError(t, err, path)
					failed++
				}
			}
			for keep := 0; keep < len(whole); keep += 1 + len(whole)/20 {
				try(whole[:keep])
			}
			if failed < 18 {
				t.Errorf("of 20 truncated files, %d were refused", failed)
			}
			stride := 97
			if !long.Tier() {
				stride *= 9
			}
			for at := range whole {
				if at%stride == 0 {
					data := append([]byte(nil), whole...)
					data[at] ^= byte(1 << (at / 97 % 8))
					try(data)
				}
			}
		})
	}
}
