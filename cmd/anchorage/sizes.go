// This file reads sizes in bytes, as flags give them.

package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sizeUnits are the endings of sizes, longest first.
var sizeUnits = []struct {
	ending string
	bytes  float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1}, {"", 1}}

// parseSize returns how many bytes a size such as 512MiB, 2GB or 4G has; at least 1.
func parseSize(text string) (int64, error) {
	for _, unit := range sizeUnits {
		digits, ok := strings.CutSuffix(text, unit.ending)
		if !ok {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if err != nil || !(value*unit.bytes >= 1 && value*unit.bytes < math.MaxInt64) {
			break
		}
		return int64(value * unit.bytes), nil
	}
	return 0, fmt.Errorf("%q is not a size: write it like 512MiB or 2GB", text)
}
