package corpus

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"
)

// TestKeyGolden pins Key forever: sketches of different versions must remain mergeable.
func TestKeyGolden(t *testing.T) {
	for _, test := range []struct {
		id   string
		want uint64
	}{
		{"", 0xefd01f60ba992926},
		{"a", 0x82a2a958a9bece5b},
		{"0", 0xc1e42af088ff1b2c},
		{"12345", 0x2a80c0ef561103f3},
		{"anchor", 0x1d47a0eed40731e9},
		{"größe", 0x2eb895f56869eaa1},
	} {
		if got := Key([]byte(test.id)); got != test.want {
			t.Errorf("Key(%q) = %#x, want %#x", test.id, got, test.want)
		}
	}
}

// TestVocabulary compares a vocabulary with a map while its table grows many times.
func TestVocabulary(t *testing.T) {
	v := NewVocabulary()
	twin := make(map[string]int32)
	for i := range 30000 {
		id := strconv.Itoa(i * i % 20011)
		want, known := twin[id]
		if got, ok := v.Lookup([]byte(id)); ok != known || ok && got != want {
			t.Fatalf("Lookup(%q) = %d, %v", id, got, ok)
		}
		if !known {
			want = int32(len(twin))
			twin[id] = want
		}
		if got := v.Intern([]byte(id)); got != want {
			t.Fatalf("Intern(%q) = %d, want %d", id, got, want)
		}
	}
	if v.Len() != len(twin) || len(v.DocumentFrequency) != len(twin) {
		t.Fatalf("%d ids, want %d", v.Len(), len(twin))
	}
	for id, index := range twin {
		if v.ID(int(index)) != id || v.Key(int(index)) != Key([]byte(id)) {
			t.Fatalf("id %d is %q, want %q", index, v.ID(int(index)), id)
		}
	}
}

func TestIntegers(t *testing.T) {
	for id, want := range map[string]bool{
		"0": true, "-1": true, "7": true, "9223372036854775807": true, "-9223372036854775808": true,
		"": false, "-": false, "-0": false, "07": false, "-07": false, "+7": false, "7 ": false, "1e3": false, "a": false,
		"9223372036854775808": false, "-9223372036854775809": false, "18446744073709551616": false,
		"99999999999999999999": false,
	} {
		if got := canonicalInteger([]byte(id)); got != want {
			t.Errorf("%q: %v", id, got)
		}
		if value, err := strconv.ParseInt(id, 10, 64); want != (err == nil && strconv.FormatInt(value, 10) == id) {
			t.Errorf("%q: the test itself is wrong", id)
		}
	}
	v := NewVocabulary()
	if v.Integers() {
		t.Error("an empty vocabulary has no integers")
	}
	v.Intern([]byte(strconv.Itoa(math.MinInt64)))
	if !v.Integers() {
		t.Error("an integer is not taken for one")
	}
	v.Intern([]byte("x"))
	v.Intern([]byte("5"))
	if v.Integers() {
		t.Error("x is an integer")
	}
}

func TestFingerprint(t *testing.T) {
	of := func(ids ...string) string {
		v := NewVocabulary()
		for _, id := range ids {
			v.Intern([]byte(id))
		}
		return v.Fingerprint()
	}
	all := []string{of(), of("a"), of("b"), of("a", "b"), of("b", "a"), of("ab"), of("a", "b", "c"), of("ab", "c")}
	slices.Sort(all)
	if len(slices.Compact(all)) != 8 {
		t.Error("two different vocabularies have one fingerprint")
	}
	// The SHA-256 of the bytes 1, 0, 0, 0, 0, 0, 0, 0, 'a', as sha256sum has it.
	if got := of("a"); got != "ae6121c88ba555f64c3d812123eb799d128015541f850c5e9bf1d54c08ad8481" {
		t.Errorf("fingerprint %s", got)
	}
}

// TestUncounted checks that interning into the result does not change the original, nor the reverse.
func TestUncounted(t *testing.T) {
	v := NewVocabulary()
	for i := range 40 {
		v.Intern(fmt.Append(nil, i))
	}
	before := v.Fingerprint()
	twin := v.Uncounted()
	twin.Intern([]byte("twin"))
	v.Intern([]byte("original"))
	if _, ok := v.Lookup([]byte("twin")); ok {
		t.Error("the original has what the copy got")
	}
	if twin.ID(40) != "twin" || v.ID(40) != "original" || len(twin.TermFrequency) != 41 {
		t.Error("they share memory")
	}
	if before == v.Fingerprint() {
		t.Error("the fingerprint did not change")
	}
}
