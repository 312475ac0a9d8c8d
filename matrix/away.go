// This file is for matrices whose values are not in memory.

package matrix

// Away has the values of a matrix that lie elsewhere, such as in a file.
type Away[T float32 | float64] interface {
	// Read sets values to rows from first on, with their padding. Several goroutines may call it at once.
	Read(values []T, first int) error
	// Release gives back what the values take.
	Release()
}

// PutAway gives the memory of the values back, which then are those of away. Only Load finds them, and functions that
// say so; whoever else reads a row panics.
func (t *TallOf[T]) PutAway(away Away[T]) {
	clear(t.blocks)
	t.away = away
}

// IsAway reports whether the values are not in memory.
func (t *TallOf[T]) IsAway() bool { return t.away != nil }

// Load returns the values of rows [first, last) of one block, Stride apart. Values that are away are read into room,
// which grows if it must; others alias the matrix. The error is that of Away.Read.
func (t *TallOf[T]) Load(room []T, first, last int) ([]T, error) {
	size := (last - first) * t.stride
	if t.away == nil {
		return t.blocks[first/BlockRows][first%BlockRows*t.stride:][:size], nil
	}
	if cap(room) < size {
		room = make([]T, size)
	}
	return room[:size], t.away.Read(room[:size], first)
}
