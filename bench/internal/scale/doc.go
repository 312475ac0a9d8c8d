// Package scale measures how the time and the memory of a fit grow with the number of items.
package scale
