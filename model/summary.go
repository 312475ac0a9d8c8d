// This file gives what people read of a fitted model.

package model

// Summary returns the model without B, that is with Items nil: what lists of topics need. It shares its memory with f.
func (f *Fitted) Summary() *Model { return f.model() }
