package safetext

import "testing"

func TestLow(t *testing.T) {
	for text, want := range map[string]string{"CAFE\u0301": "café", "Café": "café", "": ""} {
		if got := Low(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}
