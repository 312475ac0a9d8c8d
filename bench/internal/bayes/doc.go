// Package bayes measures variational inference as the chapter of Paisley, Blei & Jordan (2014) does.
package bayes
