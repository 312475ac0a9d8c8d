// Package steering measures how long steps of package steer take on models of drawn factors, and how far they move topics that they are not
// about.
package steering
