package text

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// blockTexts are texts with lines of every kind.
var blockTexts = map[string]string{
	"none": "", "end": "\n", "ends": "\n\n\n", "no end": "a", "two": "a\nb\n", "two, no end": "a\nb",
	"returns":    "a\r\nb\r\n",
	"byte order": "\xef\xbb\xbfa\nb", "byte order alone": "\xef\xbb\xbf", "byte order within": "a\n\xef\xbb\xbfb\n",
	"long": strings.Repeat("x", 2*lineBlock+5) + "\nshort\n" + strings.Repeat("y", lineBlock),
	"many": strings.Repeat("some line\n", 100_000),
	"edge": strings.Repeat("x", lineBlock-1) + "\n" + strings.Repeat("y", lineBlock) + "\n",
}

// TestLineBlocks reads texts in pieces of several sizes: put together, the blocks are the text, and each is of whole
// lines.
func TestLineBlocks(t *testing.T) {
	for name, text := range blockTexts {
		for way, reader := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "half": iotest.HalfReader, "with end": iotest.DataErrReader,
			"bytes": iotest.OneByteReader,
		} {
			if way == "bytes" && len(text) > 4*lineBlock {
				continue
			}
			t.Run(name+", "+way, func(t *testing.T) {
				lines := newLineBlocks(reader(strings.NewReader(text)), 8*lineBlock, 0)
				var got []byte
				for {
					block, err := lines.next()
					if err == io.EOF {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					rest := len(text) - len(got) - len(block)
					if len(block) == 0 && name != "byte order alone" || block != nil && rest > 3 && block[len(block)-1] != '\n' {
						t.Fatalf("a block of %d bytes is not made of whole lines", len(block))
					}
					got = append(got, block...)
				}
				if want := strings.TrimPrefix(text, "\xef\xbb\xbf"); string(got) != want {
					t.Errorf("%d bytes, want %d", len(got), len(want))
				}
			})
		}
	}
}

// TestLineBlocksErrors checks what happens to long lines, to sources that fail, and to those that make no progress.
func TestLineBlocksErrors(t *testing.T) {
	broken := errors.New("broken")
	for name, test := range map[string]struct {
		source io.Reader
		blocks []string
		want   string
	}{
		"long line": {strings.NewReader("ok\n" + strings.Repeat("x", 4*lineBlock)), []string{"ok\n"},
			fmt.Sprintf("longer than %d bytes", lineBlock)},
		"fails": {io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), []string{"a\n"}, "broken"},
		"fails later": {io.MultiReader(strings.NewReader("a\n"), strings.NewReader("b\nc"), iotest.ErrReader(broken)),
			[]string{"a\n", "b\n"}, "broken"},
		"stuck": {stuck{}, nil, "multiple Read calls return no data or error"},
	} {
		t.Run(name, func(t *testing.T) {
			lines := newLineBlocks(test.source, lineBlock, 0)
			var got []string
			for {
				block, err := lines.next()
				if err != nil {
					if !strings.Contains(err.Error(), test.want) || !slices.Equal(got, test.blocks) {
						t.Errorf("%q, %v; want %q, %q", got, err, test.blocks, test.want)
					}
					return
				}
				got = append(got, string(block))
			}
		})
	}
}

// stuck is a reader that gives nothing.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// TestCutLine compares with a split of the whole text.
func TestCutLine(t *testing.T) {
	for _, text := range []string{"", "a", "a\n", "a\r\n", "\r\n\r\n", "a\rb\nc", "a\n\nb", "\n", "\r"} {
		var want []string
		for line := range strings.Lines(text) {
			want = append(want, strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r"))
		}
		var got []string
		for block := []byte(text); len(block) > 0; {
			line, n := cutLine(block)
			got, block = append(got, string(line)), block[n:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestCutField compares with bytes.FieldsFunc.
func TestCutField(t *testing.T) {
	for _, text := range []string{"", " ", "a", " a ", "a b", "\ta\t \tb:1\t", "a\u00a0b", "a\vb"} {
		want := bytes.FieldsFunc([]byte(text), func(r rune) bool { return r == ' ' || r == '\t' })
		var got [][]byte
		for rest := []byte(text); ; {
			var field []byte
			if field, rest = cutField(rest); len(field) == 0 {
				break
			}
			got = append(got, field)
		}
		if !slices.EqualFunc(got, want, bytes.Equal) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
