package main

import (
	"strings"
	"testing"

	"anchorage/internal/process"
)

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
