//go:build !amd64 || noasm

// Without assembly the kernels stay as they are declared: plain Go.

package kernel
