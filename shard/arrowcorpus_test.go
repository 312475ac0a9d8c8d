package shard

import (
	"os"
	"path/filepath"
	"testing"

	"anchorage/internal/long"
)

// TestArrowDamaged cuts Arrow files and flips bytes of them: whatever happens, it must be an *Error or a success.
func TestArrowDamaged(t *testing.T) {
	long.Unwatched(t)
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
				if _, err := everyColumn(t.Context(), path, Arrow); err != nil {
					t.Error(err)
				}
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
				stride *= 25
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
