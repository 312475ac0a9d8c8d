// This file holds the call of a function of another library that takes long and cannot be interrupted.

package kernel

import "context"

// Await calls fn on a separate goroutine. It returns nil when fn has returned, or the error of ctx once that is done.
// In the second case fn continues: what it writes must never be used, and nothing else may write what it reads.
func Await(ctx context.Context, fn func()) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		fn()
	}()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
