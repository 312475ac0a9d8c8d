// This file reads sizes in bytes, as flags give them.

package main

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize"
)

// parseSize returns how many bytes a size such as 512MiB, 2GB or 2g has; at least 1. KiB, MiB and so on are powers of 1,024; KB, k, MB, m
// and so on are powers of 1,000. Capitals and small letters are the same.
func parseSize(text string) (int64, error) {
	size, err := humanize.ParseBytes(text)
	if err != nil || size < 1 || size > math.MaxInt64 {
		return 0, fmt.Errorf("%q is not a size: write it like 512MiB or 2GB", text)
	}
	return int64(size), nil
}
