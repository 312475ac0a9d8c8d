// Package linkage orders things so that those which are alike are together.
package linkage

import "math"

// Order returns the order of the leaves of the tree that average linkage makes of n points (UPGMA; by chains of nearest
// neighbours: Müllner, arXiv:1109.2378), from how alike they are, n×n. Of two branches the one is first that is more
// like its neighbour before.
func Order(alike []float64, n int) []int {
	s := append([]float64(nil), alike...)
	members, size := make([][]int, n), make([]int, n)
	for i := range n {
		members[i], size[i] = []int{i}, 1
	}
	active := n
	var chain []int
	for active > 1 {
		if len(chain) == 0 {
			for i := range n {
				if size[i] > 0 {
					chain = append(chain, i)
					break
				}
			}
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
	for i := range n {
		if size[i] > 0 {
			return members[i]
		}
	}
	return nil
}

// joined joins two orders, each as it is or reversed, so that the ends that meet are most alike.
func joined(a, b []int, alike []float64, n int) []int {
	best, turnA, turnB := math.Inf(-1), false, false
	for _, try := range [][2]bool{{false, false}, {true, false}, {false, true}, {true, true}} {
		left, right := a[len(a)-1], b[0]
		if try[0] {
			left = a[0]
		}
		if try[1] {
			right = b[len(b)-1]
		}
		if v := alike[left*n+right]; v > best {
			best, turnA, turnB = v, try[0], try[1]
		}
	}
	order := make([]int, 0, len(a)+len(b))
	add := func(list []int, turn bool) {
		for i := range list {
			if turn {
				i = len(list) - 1 - i
			}
			order = append(order, list[i])
		}
	}
	add(a, turnA)
	add(b, turnB)
	return order
}
