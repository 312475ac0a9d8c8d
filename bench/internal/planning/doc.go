// Package planning measures plans of fits against what the fits then take.
package planning
