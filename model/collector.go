// This file holds how much garbage a run leaves, as the model of memory has it.

package model

// Garbage is collected when it has grown by this share of what is alive, or by leastGarbage where that is more. What is alive are
// large arrays without pointers, which a collection does not look into: it takes about a millisecond.
const (
	garbageShare = 0.05
	leastGarbage = 32 << 20
	// unknownPercent is what GOGC is where the model says nothing.
	unknownPercent = 50
)

// garbage returns how much garbage may lie around beside so many bytes that are alive.
func garbage(alive int64) int64 { return max(int64(garbageShare*float64(alive)), leastGarbage) }

// collectorPercent returns what GOGC is for a stage of which the model says that it takes so many bytes; 0 where it says nothing.
func collectorPercent(modelled int64) int {
	if modelled <= 0 {
		return unknownPercent
	}
	alive := modelled - processBytes
	alive = max(alive-garbage(alive), 1)
	return int(min(max(100*garbage(alive)/alive, 1), 100))
}
