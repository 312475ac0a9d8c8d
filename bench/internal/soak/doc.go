// Package soak treats the program and what it writes as machines, disks and networks do on bad days, and looks whether anything is lost
// or silently wrong. It runs the real program in processes of its own, built with the tag faults, by which the environment can make
// operations on files fail (internal/durable/environment.go).
package soak
