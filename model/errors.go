// This file defines the errors of options.

package model

import "fmt"

// OptionError reports that an option is out of range or contradicts another.
type OptionError struct {
	Option string // the field, as in "Topics" or "Sketch.Passes"
	Reason string
}

// Error names the option and the reason.
func (e *OptionError) Error() string { return e.Option + ": " + e.Reason }

func badOption(option, format string, args ...any) error {
	return &OptionError{Option: option, Reason: fmt.Sprintf(format, args...)}
}
