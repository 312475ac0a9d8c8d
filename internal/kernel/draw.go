// This file draws the topic of a token.

package kernel

// Draw returns k with a probability in proportion to row[k]·a[k], values that are not negative, of u from [0, 1). It
// returns −1 if all products are 0. Both have the same length, a multiple of 16. The bits are the same for every
// instruction set.
func Draw(row, a []float32, u float32) int {
	if len(row) != len(a) || len(a) == 0 || len(a)%singleLane != 0 {
		panic("kernel: shapes of a draw do not fit")
	}
	// Topics come in the order of their lanes, which costs one vector operation for each of their vectors.
	var lanes [singleLane]float32
	if assembly.lanes != nil {
		assembly.lanes(&row[0], &a[0], len(a), &lanes[0])
	} else {
		goLanes(row, a, &lanes)
	}
	var quarters [4]float32
	for q := range quarters {
		of := lanes[4*q:][:4]
		quarters[q] = (of[0] + of[1]) + (of[2] + of[3])
	}
	total := (quarters[0] + quarters[1]) + (quarters[2] + quarters[3])
	left, q := u*total, 0
	for q < 3 && left >= quarters[q] {
		left -= quarters[q]
		q++
	}
	lane := 4 * q
	for lane < 4*q+3 && left >= lanes[lane] {
		left -= lanes[lane]
		lane++
	}
	k := lane
	for ; k < len(a)-singleLane; k += singleLane {
		product := row[k] * a[k]
		if left < product {
			break
		}
		left -= product
	}
	if row[k]*a[k] > 0 {
		return k
	}
	// Rounding has left more than there is.
	for k = len(a) - 1; k >= 0 && !(row[k]*a[k] > 0); k-- {
	}
	return k
}

// goLanes sets sums[l] to the sum of row[k]·a[k] over k = l, l + 16, …, in this order: the reference.
func goLanes(row, a []float32, sums *[singleLane]float32) {
	for first := 0; first < len(a); first += singleLane {
		for lane := range sums {
			sums[lane] += float32(row[first+lane] * a[first+lane]) // rounded before it is added
		}
	}
}
