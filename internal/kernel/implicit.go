// This file holds the implicit QR iteration for tridiagonal matrices: for small ones, and where no eigenvectors are
// wanted.

package kernel

import (
	"errors"
	"math"
)

// sweepsPerValue bounds the sweeps of the iteration; two for each eigenvalue are usual.
const sweepsPerValue = 60

var errNoConvergence = errors.New("did not converge")

// implicitQR replaces the diagonal d of a symmetric tridiagonal matrix by its eigenvalues, in no order, by implicit QR
// steps with Wilkinson's shift (Golub & Van Loan, Matrix Computations, 4th ed., Algorithms 8.3.2 and 8.3.3). e, with
// e[i] beside d[i] and d[i+1], is overwritten. Every rotation of rows i and i+1 is also applied to the rows of z,
// len(d) of them with distance stride, so that rows of the identity become eigenvectors; z may be nil.
func implicitQR(d, e, z []float64, stride int) error {
	n := len(d)
	for low, high, sweeps := 0, n-1, 0; high > 0; sweeps++ {
		for low = high; low > 0 && !negligible(e[low-1], d[low-1], d[low]); low-- {
		}
		if low > 0 {
			e[low-1] = 0
		}
		if low == high {
			high--
			continue
		}
		if sweeps > sweepsPerValue*n {
			return errNoConvergence
		}
		qrStep(d, e, low, high, z, n, stride)
	}
	return nil
}

// negligible reports whether an entry beside the diagonal is no more than rounding of the two on it.
func negligible(e, d0, d1 float64) bool {
	return math.Abs(e) <= 0x1p-53*(math.Abs(d0)+math.Abs(d1)) || math.Abs(e) < 0x1p-1000
}

// qrStep makes one step on rows low … high: it chases the bulge that the first rotation makes down the diagonal.
func qrStep(d, e []float64, low, high int, z []float64, n, stride int) {
	beside := e[high-1]
	delta := (d[high-1] - d[high]) / 2
	shift := d[high]
	if away := delta + math.Copysign(hypotenuse(delta, beside), delta); away != 0 {
		shift -= beside / away * beside
	}
	x, bulge := d[low]-shift, e[low]
	for i := low; i < high; i++ {
		c, s := 1.0, 0.0
		r := hypotenuse(x, bulge)
		if r > 0 {
			c, s = x/r, bulge/r
		}
		if i > low {
			e[i-1] = r
		}
		a, b, f := d[i], e[i], d[i+1]
		move := s * (s*(f-a) + 2*c*b)
		d[i], d[i+1] = a+move, f-move
		e[i] = c*s*(f-a) + (c-s)*(c+s)*b
		if i < high-1 {
			x, bulge = e[i], s*e[i+1]
			e[i+1] *= c
		}
		if z != nil {
			rotate(z[i*stride:][:n], z[(i+1)*stride:][:n], c, s)
		}
	}
}

// rotate replaces x by c·x + s·y and y by c·y − s·x.
func rotate(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for i, v := range x {
		w := y[i]
		x[i], y[i] = c*v+s*w, c*w-s*v
	}
}

// hypotenuse returns √(x²+y²), as math.Hypot does, but without dividing where squares are in range.
func hypotenuse(x, y float64) float64 {
	if squares := x*x + y*y; squares > 0x1p-900 && squares < 0x1p900 {
		return math.Sqrt(squares)
	}
	return math.Hypot(x, y)
}
