// This file holds products of small matrices, such as a decomposition passes through; all are row-major.

package kernel

// Times returns a·b for m×k and k×n matrices.
func Times(a, b []float64, m, k, n int) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		row := c[i*n : (i+1)*n]
		for p, v := range a[i*k : (i+1)*k] {
			for j, w := range b[p*n : (p+1)*n] {
				row[j] += v * w
			}
		}
	}
	return c
}

// TimesTransposed returns a·bᵀ for m×k and n×k matrices.
func TimesTransposed(a, b []float64, m, n, k int) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		for j := range n {
			left, right := a[i*k:(i+1)*k], b[j*k:(j+1)*k]
			sum := 0.0
			for p, v := range left {
				sum += v * right[p]
			}
			c[i*n+j] = sum
		}
	}
	return c
}

// TransposedTimes returns aᵀ·b for k×m and k×n matrices.
func TransposedTimes(a, b []float64, k, m, n int) []float64 {
	c := make([]float64, m*n)
	for p := range k {
		for i, v := range a[p*m : (p+1)*m] {
			row := c[i*n : (i+1)*n]
			for j, w := range b[p*n : (p+1)*n] {
				row[j] += v * w
			}
		}
	}
	return c
}

// FirstColumns returns the first n columns of an m×k matrix.
func FirstColumns(a []float64, m, k, n int) []float64 {
	c := make([]float64, m*n)
	for i := range m {
		copy(c[i*n:(i+1)*n], a[i*k:i*k+n])
	}
	return c
}
