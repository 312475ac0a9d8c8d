package main

import (
	"strings"
	"testing"

	"anchorage/internal/process"
)

// --memory-limit takes sizes and two words. Nothing but a size changes what a run does.
func TestParseMemory(t *testing.T) {
	for text, want := range map[string]memoryLimit{"auto": {}, "": {}, "none": {none: true}, "2GiB": {chosen: 2 << 30}} {
		got, err := parseMemory(text)
		if err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"0", "much", "-1GiB"} {
		if _, err := parseMemory(text); exitCode(err) != exitUsage || !strings.Contains(err.Error(), "auto or none") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if bytes := (memoryLimit{none: true}).bytes(); bytes != 0 {
		t.Errorf("none is %d bytes", bytes)
	}
	room := process.MemoryRoom()
	if bytes := (memoryLimit{}).bytes(); bytes > room.Bytes || room.Bytes > 0 && bytes < room.Bytes/2 {
		t.Errorf("auto is %d of %d bytes", bytes, room.Bytes)
	}
	if sorting := (memoryLimit{none: true}).sorting(); sorting != usualSorting {
		t.Errorf("sorting takes %d bytes without a limit", sorting)
	}
	if sorting := (memoryLimit{chosen: 1 << 20}).sorting(); sorting > 1<<19 {
		t.Errorf("sorting takes %d bytes of 1 MiB", sorting)
	}
}

// Too few descriptors are noticed before any file is opened.
func TestPreflight(t *testing.T) {
	never := func() process.Room {
		t.Error("the room was asked for")
		return process.Room{}
	}
	if reason := preflight(6, never); !strings.Contains(reason, "only 6 files") {
		t.Errorf("6 descriptors: %q", reason)
	}
	for room, want := range map[process.Room]bool{
		{}: true,
		{Bytes: 1, Limiter: process.ControlGroup}:       true, // that is refused later, with figures
		{Bytes: 1 << 20, Limiter: process.AddressSpace}: false,
		{Bytes: 1 << 30, Limiter: process.AddressSpace}: true,
	} {
		if reason := preflight(0, func() process.Room { return room }); (reason == "") != want {
			t.Errorf("%+v: %q", room, reason)
		}
	}
}
