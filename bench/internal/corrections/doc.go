// Package corrections measures where the corrections of ENN are kept best while a truncated eigendecomposition applies them several times.
package corrections
