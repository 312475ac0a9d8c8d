// Package linkage orders things so that those which are alike are together.
package linkage

import (
	"math"
	"slices"
)

// Order returns the order of the leaves of the tree that average linkage makes of n points (UPGMA; by chains of nearest
// neighbours: Müllner, arXiv:1109.2378), from how alike they are, n×n. Of two branches the one is first that is more
// like its neighbour before.
func Order(alike []float64, n int) []int {
	s := slices.Clone(alike)
	members, size := make([][]int, n), make([]int, n)
	for i := range n {
		members[i], size[i] = []int{i}, 1
	}
	left := func(size int) bool { return size > 0 }
	active := n
	var chain []int
	for active > 1 {
		if len(chain) == 0 {
			chain = append(chain, slices.IndexFunc(size, left))
		}
		a := chain[len(chain)-1]
		near, best := -1, math.Inf(-1)
		if len(chain) > 1 { // of equal ones the one before, so that chains end
			near = chain[len(chain)-2]
			best = s[a*n+near]
		}
		for b := range n {
			if b != a && size[b] > 0 && s[a*n+b] > best {
				near, best = b, s[a*n+b]
			}
		}
		if len(chain) < 2 || near != chain[len(chain)-2] {
			chain = append(chain, near)
			continue
		}
		chain = chain[:len(chain)-2]
		for c := range n {
			if size[c] > 0 && c != a && c != near {
				v := (float64(size[a])*s[a*n+c] + float64(size[near])*s[near*n+c]) / float64(size[a]+size[near])
				s[a*n+c], s[c*n+a] = v, v
			}
		}
		members[a] = joined(members[a], members[near], alike, n)
		size[a] += size[near]
		size[near], members[near] = 0, nil
		active--
	}
	if n == 0 {
		return nil
	}
	return members[slices.IndexFunc(size, left)]
}

// joined joins two orders, each as it is or reversed, so that the ends that meet are most alike.
func joined(a, b []int, alike []float64, n int) (order []int) {
	turnedA, turnedB := slices.Clone(a), slices.Clone(b)
	slices.Reverse(turnedA)
	slices.Reverse(turnedB)
	var best float64
	for _, try := range [][2][]int{{a, b}, {turnedA, b}, {a, turnedB}, {turnedA, turnedB}} {
		left, right := try[0], try[1]
		if v := alike[left[len(left)-1]*n+right[0]]; order == nil || v > best {
			best, order = v, slices.Concat(left, right)
		}
	}
	return order
}
