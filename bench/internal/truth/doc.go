// Package truth measures how much of a known truth is recovered as documents become more.
package truth
