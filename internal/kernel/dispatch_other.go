//go:build !amd64 || noasm

// Without assembly the kernels stay plain Go, as they are declared.

package kernel
