package transform

// StartOf returns when the period of a time begins.
var StartOf = Period.start
