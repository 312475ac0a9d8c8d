// Package serving measures how many requests a server of a model answers, and how soon. The server is a process of its own; the
// clients, goroutines of this one, share the machine with it.
package serving
