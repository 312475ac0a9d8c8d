// Package assignment solves the linear assignment problem: to pair rows with columns so that the pairs cost least in
// all.
package assignment

import "math"

// Least returns the assignment of least total cost for an n×n row-major cost matrix. It assigns column assigned[r] to
// row r and uses each column once. The algorithm is the Hungarian method with shortest augmenting paths and dual
// prices, O(n³) (Kuhn, Nav. Res. Logist. Q. 2, 1955; Jonker & Volgenant, Computing 38, 1987). Costs must be finite.
func Least(cost []float64, n int) (assigned []int) {
	if len(cost) != n*n {
		panic("assignment: the cost matrix is not n×n")
	}
	a := assignment{cost: cost, n: n, rowPrice: make([]float64, n), columnPrice: make([]float64, n),
		column: make([]int, n), row: make([]int, n)}
	for i := range n {
		a.column[i], a.row[i] = -1, -1
	}
	for r := range n {
		a.augment(r)
	}
	return a.column
}

// assignment matches some rows with columns and has prices u and v. All reduced costs c_rj − u_r − v_j are non-negative
// and those of matched pairs are 0. So the assignment has the least cost for the rows that it matches.
type assignment struct {
	cost                  []float64
	n                     int
	rowPrice, columnPrice []float64 // u, v
	column                []int     // of each row, or -1
	row                   []int     // of each column, or -1
}

// augment matches one more row. It follows the path of least reduced cost to a free column; the path alternates between
// unmatched and matched pairs (Dijkstra's algorithm, over columns).
func (a *assignment) augment(root int) {
	distance := make([]float64, a.n) // of columns from the root
	from := make([]int, a.n)         // the row before each column
	done := make([]bool, a.n)
	for j := range distance {
		distance[j] = math.Inf(1)
	}
	r, reached := root, 0.0
	for {
		nearest := -1
		for j := range a.n {
			if done[j] {
				continue
			}
			if d := reached + a.cost[r*a.n+j] - a.rowPrice[r] - a.columnPrice[j]; d < distance[j] {
				distance[j], from[j] = d, r
			}
			if nearest < 0 || distance[j] < distance[nearest] {
				nearest = j
			}
		}
		done[nearest], reached = true, distance[nearest]
		if r = a.row[nearest]; r < 0 {
			a.reprice(root, distance, done, reached)
			a.flip(root, nearest, from)
			return
		}
	}
}

// reprice makes the reduced costs on the shortest paths 0 and keeps all others non-negative.
func (a *assignment) reprice(root int, distance []float64, done []bool, reached float64) {
	a.rowPrice[root] += reached
	for j, visited := range done {
		if !visited {
			continue
		}
		a.columnPrice[j] += distance[j] - reached
		if r := a.row[j]; r >= 0 {
			a.rowPrice[r] += reached - distance[j]
		}
	}
}

// flip matches each row on the path to column j with the column that follows it.
func (a *assignment) flip(root, j int, from []int) {
	for {
		r := from[j]
		next := a.column[r]
		a.row[j], a.column[r] = r, j
		if r == root {
			return
		}
		j = next
	}
}
