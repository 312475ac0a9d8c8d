package sealed

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

type sample struct {
	Layout int      `json:"layout"`
	Names  []string `json:"names"`
	Text   string   `json:"text"`
}

// TestSealed flips every bit of a sealed text and cuts it at every length. What is read without an error, and taken for
// sealed, is what was written.
func TestSealed(t *testing.T) {
	want := sample{6, []string{"a", "b"}, "<\"checksum\": \"" + strings.Repeat("x", 64) + "\"\n}\n>"}
	text, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	object, has, err := Open(text)
	if err != nil || !has {
		t.Fatalf("%v, %v", has, err)
	}
	var got sample
	if err := json.Unmarshal(object, &got); err != nil || got.Text != want.Text || got.Layout != 6 || len(got.Names) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	var whole map[string]any // other programs see one member more
	if err := json.Unmarshal(text, &whole); err != nil || len(whole["checksum"].(string)) != 64 {
		t.Fatalf("%v, %v", whole, err)
	}
	for at := range text {
		for bit := range 8 {
			text[at] ^= 1 << bit
			if _, has, err := Open(text); has && !errors.Is(err, ErrDamaged) {
				t.Fatalf("bit %d of byte %d: %v", bit, at, err)
			}
			text[at] ^= 1 << bit
		}
		object, has, err := Open(text[:at])
		if has && err == nil || !has && json.Valid(object) {
			t.Fatalf("cut at %d: %v, %v", at, has, err)
		}
	}
	plain := []byte("{\"layout\": 5}\n")
	if object, has, err := Open(plain); has || err != nil || string(object) != string(plain) {
		t.Errorf("without a checksum: %s, %v, %v", object, has, err)
	}
}
