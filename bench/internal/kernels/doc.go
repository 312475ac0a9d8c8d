// Package kernels measures how near the inner loops of a fit come to what the machine can do.
package kernels
