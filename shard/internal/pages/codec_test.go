package pages

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet/compress"
)

// TestDecompress checks that every codec accepts exactly the size that was promised.
func TestDecompress(t *testing.T) {
	var d Decompressor
	defer d.Close()
	text := []byte(strings.Repeat("anchor words ", 1000))
	for _, name := range []compress.Compression{compress.Codecs.Uncompressed, compress.Codecs.Snappy, compress.Codecs.Gzip,
		compress.Codecs.Zstd, compress.Codecs.Brotli} {
		codec, err := compress.GetCodec(name)
		if err != nil {
			t.Fatal(err)
		}
		packed := codec.Encode(make([]byte, max(len(text), int(codec.CompressBound(int64(len(text)))))), text)
		for _, size := range []int{len(text), len(text) - 1, len(text) + 1, 1} {
			dst := make([]byte, size)
			err := d.decompress(name, dst, packed)
			if size == len(text) && (err != nil || !bytes.Equal(dst, text)) {
				t.Errorf("%v: %v", name, err)
			}
			if size != len(text) && err == nil {
				t.Errorf("%v: %d bytes were promised for %d", name, size, len(text))
			}
		}
		if err := d.decompress(name, make([]byte, len(text)), packed[:len(packed)/2]); err == nil {
			t.Errorf("%v: a truncated page was accepted", name)
		}
	}
}

func TestLZ4(t *testing.T) {
	decompressLZ4 := func(dst, src []byte) error { return new(Decompressor).decompress(lz4Raw, dst, src) }
	long := strings.Repeat("x", 15+255+7)
	for name, test := range map[string]struct{ block, want string }{
		"literals":         {"\x30abc", "abc"},
		"match":            {"\x40abcd\x04\x00\x20zz", "abcdabcdzz"},
		"overlapping":      {"\x10a\x01\x00\x10b", "aaaaab"},
		"overlapping two":  {"\x23ab\x02\x00\x10c", "ababababac"},
		"long literals":    {"\xf0\xff\x07" + long, long},
		"long match":       {"\x1fx\x01\x00\xff\x03\x10y", strings.Repeat("x", 1+4+15+255+3) + "y"},
		"empty last":       {"\x40abcd\x04\x00\x00", "abcdabcd"},
		"no literals":      {"\x10a\x01\x00\x00\x05\x00\x10b", "aaaaaaaaab"},
		"nothing":          {"\x00", ""},
		"offset 0":         {"\x10a\x00\x00\x10b", ""},
		"offset too far":   {"\x10a\x02\x00\x10b", ""},
		"literals missing": {"\x50abc", ""},
		"offset missing":   {"\x10a\x01", ""},
		"length missing":   {"\xf0\xff", ""},
	} {
		t.Run(name, func(t *testing.T) {
			if test.want == "" && name != "nothing" {
				if decompressLZ4(make([]byte, 100), []byte(test.block)) == nil {
					t.Error("accepted")
				}
				return
			}
			dst := make([]byte, len(test.want))
			if err := decompressLZ4(dst, []byte(test.block)); err != nil || string(dst) != test.want {
				t.Errorf("got %q, %v", dst, err)
			}
			for _, size := range []int{len(dst) - 1, len(dst) + 1} {
				if size >= 0 && decompressLZ4(make([]byte, size), []byte(test.block)) == nil {
					t.Errorf("%d bytes were promised for %d", size, len(dst))
				}
			}
		})
	}
}
