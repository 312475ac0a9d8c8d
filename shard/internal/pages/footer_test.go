package pages

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/shard/fault"
)

func TestCheckTree(t *testing.T) {
	deep := make([]int32, maxSchemaDepth+2)
	for i := range deep[:len(deep)-1] {
		deep[i] = 1
	}
	for name, test := range map[string]struct {
		children []int32
		want     string
	}{
		"nothing": {nil, "no columns"}, "root": {[]int32{0}, "no columns"}, "one": {[]int32{1, 0}, ""},
		"two":    {[]int32{2, 0, 0}, ""},
		"nested": {[]int32{2, 1, 0, 0}, ""}, "more": {[]int32{1, 0, 0}, "more elements than its tree"},
		"fewer":       {[]int32{2, 0}, "fewer elements"},
		"fewer below": {[]int32{2, 1, 0}, "fewer elements"}, "negative": {[]int32{1, -1}, "fewer elements"},
		"huge": {[]int32{1 << 30, 0}, "fewer elements"},
		"deep": {deep, "nested more than 64 deep"}, "no root": {[]int32{0, 0}, "more elements"},
	} {
		err := checkTree(test.children)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// footerFile returns a file that ends in a footer.
func footerFile(footer []byte, length int, magic string) []byte {
	return append(binary.LittleEndian.AppendUint32(append([]byte("PAR1"), footer...), uint32(length)), magic...)
}

// TestFooterErrors holds files whose footers cannot be read.
func TestFooterErrors(t *testing.T) {
	schema := func(children ...int) []byte {
		w := newThrift().i32(1, 1)
		w.field(2, thriftList).data = append(w.data, byte(len(children))<<4|thriftStruct)
		for _, n := range children {
			w.last = append(w.last, 0)
			w.i32(5, n).end()
		}
		return append(w.data, 0)
	}
	for name, test := range map[string]struct {
		data []byte
		want string
	}{
		"short":           {[]byte("PAR1PAR1"), "a file of 8 bytes is too short for Parquet"},
		"other end":       {footerFile(nil, 0, "PAR2"), "does not end like Parquet"},
		"encrypted":       {footerFile(nil, 0, "PARE"), "the file is encrypted"},
		"long footer":     {footerFile(nil, 100, "PAR1"), "the footer should have 100 bytes, but the file has 12"},
		"empty footer":    {footerFile(nil, 0, "PAR1"), "the footer cannot be read"},
		"no schema":       {footerFile([]byte{0}, 1, "PAR1"), "the schema has no columns"},
		"tree":            {footerFile(schema(3, 0), len(schema(3, 0)), "PAR1"), "fewer elements than its tree"},
		"nameless":        {footerFile(schema(1, 0), len(schema(1, 0)), "PAR1"), "the footer cannot be read"},
		"schema, no list": {footerFile(newThrift().i32(2, 1).end().data, 3, "PAR1"), "the schema has no columns"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := ReadFooter(bytes.NewReader(test.data), int64(len(test.data))); err == nil ||
				!strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			path := filepath.Join(t.TempDir(), "x")
			if err := os.WriteFile(path, test.data, 0o666); err != nil {
				t.Fatal(err)
			}
			var place *fault.Error
			if _, _, err := OpenFooter(t.Context(), path); !errors.As(err, &place) || place.Path != path {
				t.Errorf("as a file: %v", err)
			}
		})
	}
	// Cut or changed anywhere, a footer is an error or a footer, without a panic.
	whole := schema(2, 0, 0)
	for at := range whole {
		for _, value := range []byte{0, 0x7f, 0xff} {
			changed := bytes.Clone(whole)
			changed[at] = value
			err := fault.Guard(func() error { return checkFooter(changed) })
			if fault.ReasonOf(err) == fault.DecoderFailed {
				t.Errorf("byte %d is %#x: %v", at, value, err)
			}
		}
	}
}

// TestPageHeaderCut needs more data for every header that is cut, and says so.
func TestPageHeaderCut(t *testing.T) {
	whole := dictionaryPage(300, make([]byte, 1000))
	want, n, err := parsePageHeader(whole)
	if err != nil || want.kind != pageDictionary || want.values != 300 || want.compressed != 1000 || n >= len(whole) {
		t.Fatalf("%+v of %d bytes, %v", want, n, err)
	}
	for cut := range n {
		if _, _, err := parsePageHeader(whole[:cut]); !errors.Is(err, errThriftShort) {
			t.Errorf("%d of %d bytes: %v", cut, n, err)
		}
	}
	v2 := page{version: 2, levels: 7, defs: make([]int16, 7), maxDef: 1, values: []byte("abc")}
	h, _, err := parsePageHeader(v2.bytes())
	if err != nil || h.kind != pageDataV2 || h.values != 7 || h.isCompressed || h.defLen == 0 ||
		h.repLen != 0 || h.hasCRC {
		t.Errorf("version 2: %+v, %v", h, err)
	}
}
