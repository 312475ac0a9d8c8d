// Package beside runs other programs beside ours on the same documents and items, and measures time, memory, disk and the quality of topics
// until each program fails.
//
// A system is a program with one setting. Each run is a process of its own group, with limits of time and memory, and all systems have one
// interface: they read documents from a folder and leave topics and times in another; bench/peers/README.md says how.
package beside
