// Package polls holds a context for tests of interrupts: it counts how often it is asked, and ends when it was asked so
// often. So a test can interrupt a computation at any of its looks at the context, without a clock.
package polls

import (
	"context"
	"sync"
)

// Context is a context that counts the calls of Err. Several goroutines may use it at once.
type Context struct {
	context.Context

	mu    sync.Mutex
	asked int
	limit int
	done  chan struct{}
}

// After returns a context that is cancelled by the limit-th call of Err. With a limit of 0 it never ends.
func After(parent context.Context, limit int) *Context {
	return &Context{Context: parent, limit: limit, done: make(chan struct{})}
}

// Err implements context.Context.
func (c *Context) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if c.limit == 0 || c.asked < c.limit {
		return nil
	}
	if c.asked == c.limit {
		close(c.done)
	}
	return context.Canceled
}

// Done implements context.Context.
func (c *Context) Done() <-chan struct{} { return c.done }

// Asked returns how often Err was called.
func (c *Context) Asked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked
}
