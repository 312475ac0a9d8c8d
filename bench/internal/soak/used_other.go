//go:build !linux

// This file is for systems without tmpfs.

package soak

import "errors"

func usedKilobytes(string) (int, error) { return 0, errors.ErrUnsupported }
