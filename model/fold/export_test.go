package fold

// SetDenseBytes changes how many bytes of sums are in memory, until restore is called.
func SetDenseBytes(n int) (restore func()) {
	before := denseBytes
	denseBytes = n
	return func() { denseBytes = before }
}
