package sketch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"anchorage/internal/kernel"
)

// leastSquaresTwin returns Q·B·Qᵀ by its definition: Q are the first columns of the left singular vectors of Y that
// are not rounding, and B is least squares over the entries of a symmetric matrix, of which it is the smallest.
func leastSquaresTwin(c, omega *mat.Dense, columns int) *mat.Dense {
	n, _ := c.Dims()
	var y, u, m, right mat.Dense
	y.Mul(c, omega)
	_, l := y.Dims()
	var svd mat.SVD
	svd.Factorize(&y, mat.SVDThin)
	svd.UTo(&u)
	q := u.Slice(0, n, 0, min(svd.Rank(1e-6), columns))
	_, r := q.Dims()
	m.Mul(q.T(), omega)
	right.Mul(q.T(), &y)
	// A column of a is the basis matrix E_ij, of norm 1, times M.
	a, b := mat.NewDense(r*l, r*(r+1)/2, nil), mat.NewDense(r*l, 1, nil)
	each := func(fn func(unknown, i, j int, size float64)) {
		unknown := 0
		for i := range r {
			for j := range i {
				fn(unknown, i, j, math.Sqrt2/2)
				unknown++
			}
			fn(unknown, i, i, 0.5)
			unknown++
		}
	}
	each(func(unknown, i, j int, size float64) {
		for x := range l {
			a.Set(i*l+x, unknown, a.At(i*l+x, unknown)+size*m.At(j, x))
			a.Set(j*l+x, unknown, a.At(j*l+x, unknown)+size*m.At(i, x))
		}
	})
	for i := range r {
		for x := range l {
			b.Set(i*l+x, 0, right.At(i, x))
		}
	}
	var solution, small, wide, result mat.Dense
	svd.Factorize(a, mat.SVDThin)
	svd.SolveTo(&solution, b, svd.Rank(1e-6))
	small.ReuseAs(r, r)
	each(func(unknown, i, j int, size float64) {
		small.Set(i, j, small.At(i, j)+size*solution.At(unknown, 0))
		small.Set(j, i, small.At(j, i)+size*solution.At(unknown, 0))
	})
	wide.Mul(q, &small)
	result.Mul(&wide, q.T())
	return &result
}

// TestLeastSquaresAgainstTwin holds the eigenpairs against those of a dense Q·B·Qᵀ: with all of Q and with some of it,
// down to K columns, with dependent columns of Y, and where QᵀΩ has not full rank, or is 0.
func TestLeastSquaresAgainstTwin(t *testing.T) {
	const n = 60
	documents := drawn(n, 4, 400)
	c, _ := denseC(documents, n)
	apart := make([]float64, n*n) // items of the two halves occur together, and no others
	for i := range c {
		if (i/n < n/2) != (i%n < n/2) {
			apart[i] = c[i] * float64(i/n+1) * float64(i%n+1)
		}
	}
	for _, of := range []struct {
		name       string
		c          []float64
		l, keep, k int
		change     func(row []float64, item int)
		rank       int // of a *RankError; −1 for none
	}{
		{name: "all of Q", c: c, l: 12, keep: 12, k: 5, rank: -1},
		{name: "half of Q", c: c, l: 12, keep: 6, k: 5, rank: -1},
		{name: "K of L", c: c, l: 5, keep: 4, k: 3, rank: -1},
		{name: "K of Q", c: c, l: 5, keep: 3, k: 3, rank: -1},
		{name: "dependent columns", c: c, l: 14, keep: 14, k: 4, rank: -1, change: func(row []float64, _ int) {
			copy(row[7:], row[:7])
		}},
		{name: "QᵀΩ not of full rank", c: apart, l: 12, keep: 12, k: 2, rank: -1, change: func(row []float64, item int) {
			if item >= n/2 {
				clear(row[:9])
			}
		}},
		{name: "QᵀΩ 0", c: apart, l: 6, keep: 6, k: 2, rank: 0, change: func(row []float64, item int) {
			if item >= n/2 {
				clear(row)
			}
		}},
	} {
		omega, o := mat.NewDense(n, of.l, nil), omega{seed: 5, cols: of.l}
		for i := range n {
			setRow(o, omega.RawRowView(i), i, numbered(n).Key(i))
			if of.change != nil {
				of.change(omega.RawRowView(i), i)
			}
		}
		dense := mat.NewDense(n, n, of.c)
		var y, gram, core mat.Dense
		y.Mul(dense, omega)
		gram.Mul(y.T(), &y)
		core.Mul(y.T(), omega)
		ctx := context.Background()
		values, coefficients, err := leastSquares(ctx, gram.RawMatrix().Data, core.RawMatrix().Data, of.l, of.keep, of.k, 1)
		var rank *RankError
		if of.rank >= 0 {
			if !errors.As(err, &rank) || rank.Rank != of.rank || rank.Topics != of.k || rank.Columns != of.l {
				t.Errorf("%s: %v", of.name, err)
			}
			continue
		} else if err != nil {
			t.Errorf("%s: %v", of.name, err)
			continue
		}
		got := kernel.Times(ctx, y.RawMatrix().Data, coefficients, n, of.l, of.k)
		twin, vectors, err := kernel.SymmetricEigen(ctx, leastSquaresTwin(dense, omega, of.keep).RawMatrix().Data, n, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				x, want := 0.0, 0.0
				for p := range of.k {
					x += got[i*of.k+p] * values[p] * got[j*of.k+p]
					want += vectors[i*n+p] * twin[p] * vectors[j*n+p]
				}
				if !(math.Abs(x-want) < 1e-7*twin[0]) {
					t.Fatalf("%s: entry %d,%d of V·D·Vᵀ is %g, want %g; eigenvalues %g and %g", of.name, i, j, x, want, values,
						twin[:of.k])
				}
			}
		}
	}
}

// TestForms wants every form to be exact with as many columns as items, to have a true estimate of its error where half
// of Q counts, and the same bits from any workers and batches.
func TestForms(t *testing.T) {
	const n, k = 120, 4
	docs := drawn(n, k, 1500)
	c, _ := denseC(docs, n)
	exact, _ := leading(t, c, n, k)
	for form := range forms {
		find := func(columns, batch, workers int) *Eigen {
			s := stream(t, docs, batch, counted(docs, n), StreamOptions{Columns: columns, Seed: 2, Workers: workers})
			s.Form = form
			e, err := s.Eigen(context.Background(), k, workers)
			if err != nil {
				t.Fatalf("%q: %v", form, err)
			}
			return e
		}
		all := find(n, 500, 1)
		for j, value := range all.Values {
			if math.Abs(value-exact[j]) > 1e-3*exact[0] {
				t.Errorf("form %q: eigenvalue %d is %v, want %v", form, j, value, exact[j])
			}
		}
		few := find(8*k, 500, 1)
		if again := find(8*k, 37, 3); fmt.Sprint(again.Values, again.Vectors.Values()) != fmt.Sprint(few.Values,
			few.Vectors.Values()) {
			t.Errorf("form %q: batches of 37 and 3 workers find other eigenpairs", form)
		}
		measured := *few
		measured.Residuals = measuredResiduals(c, n, few)
		if ratio := few.Error() / measured.Error(); ratio < 0.6 || ratio > 1.6 {
			t.Errorf("form %q: an error of %.3g is estimated at %.3g", form, measured.Error(), few.Error())
		}
	}
}
