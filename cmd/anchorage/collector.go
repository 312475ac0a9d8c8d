// This file decides how much garbage the program lets lie.

package main

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// initialPercent is the garbage, in percent of live data, at which the collector starts until the stages know better. Memory goes
// to a few large blocks that live long: the usual 100 % would double the peak and save nothing.
const initialPercent = 20

// tunesCollector reports whether the program sets the garbage collector. It does not if the environment has GOGC. lookup is
// os.LookupEnv, outside tests.
func tunesCollector(lookup func(name string) (value string, set bool)) bool {
	_, set := lookup("GOGC")
	return !set
}

// setCollector sets the garbage collector for the beginning of the program, unless GOGC does.
func setCollector() {
	if tunesCollector(os.LookupEnv) {
		debug.SetGCPercent(initialPercent)
	}
}

// collectorPercent returns the present setting of the garbage collector, in percent of live data.
func collectorPercent() uint64 {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return sample[0].Value.Uint64()
}
