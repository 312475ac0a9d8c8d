// This file models the garbage of a run and sets the garbage collector accordingly.

package fit

// A collection starts when the garbage reaches garbageShare of the live memory, or leastGarbage if that is more.
// Frequent collections are cheap, about a millisecond each, because the live memory is large arrays without pointers.
const (
	garbageShare = 0.05
	leastGarbage = 32 << 20
	// unknownPercent is GOGC for stages that the memory model does not cover.
	unknownPercent = 50
)

// garbage returns the garbage allowed besides the given number of live bytes.
func garbage(alive int64) int64 { return max(int64(garbageShare*float64(alive)), leastGarbage) }

// collectorPercent returns GOGC for a stage. modelled is the stage's memory according to the memory model, or 0 if it
// has none.
func collectorPercent(modelled int64) int {
	if modelled <= 0 {
		return unknownPercent
	}
	alive := modelled - processBytes
	alive = max(alive-garbage(alive), 1)
	return int(min(max(100*garbage(alive)/alive, 1), 100))
}
