package main

import (
	"testing"

	"anchorage/internal/process"
)

func TestPreflight(t *testing.T) {
	for room, want := range map[process.Room]bool{
		{}: true,
		{Bytes: 1, Limiter: process.ControlGroup}:       true, // that is refused later, with figures
		{Bytes: 1 << 20, Limiter: process.AddressSpace}: false,
		{Bytes: 1 << 30, Limiter: process.AddressSpace}: true,
	} {
		if reason := preflight(room); (reason == "") != want {
			t.Errorf("%+v: %q", room, reason)
		}
	}
}
