// This file sets the garbage collector for a program that holds a few large blocks.

package process

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// initialPercent is the garbage, in percent of live data, at which the collector starts until stages know better.
// Memory goes to a few large blocks that live long: the usual 100 % would double the peak and save nothing.
const initialPercent = 20

// TunesCollector reports whether the program sets the garbage collector. It does not if the environment has GOGC.
func TunesCollector() bool {
	_, set := os.LookupEnv("GOGC")
	return !set
}

// StartCollector sets the garbage collector for the beginning of the program, unless GOGC does.
func StartCollector() {
	if TunesCollector() {
		debug.SetGCPercent(initialPercent)
	}
}

// CollectorPercent returns the present setting of the garbage collector, in percent of live data.
func CollectorPercent() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
