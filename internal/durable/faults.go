// This file lets tests of other packages make operations on the file system fail.

package durable

// InjectFaults makes every operation of this package on the file system ask fault first, which gets the operation's name. If fault
// returns an error, the operation fails with it and does nothing. Only tests call it; restore ends it.
func InjectFaults(fault func(operation string) error) (restore func()) {
	faults = fault
	return func() { faults = nil }
}
