//go:build !linux && !darwin

// This file is for systems that cannot exchange two directories in one step.

package durable

import "errors"

const canExchange = false

func exchange(string, string) error { return errors.ErrUnsupported }
