// Package report holds what the measurements of bench share: tables and charts, folders of results, records of runs that a
// series goes on from, where results come from, and the processes that runs are made in.
//
// A results folder holds CSV for programs, a README.md for people and charts as SVG. Every file is complete or absent.
package report
