package text

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"anchorage/shard/documents"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/roles"
)

// naiveWords cuts a text with the library only, and puts words in lower case one by one.
func naiveWords(text string, shortest int) map[string]int {
	found := make(map[string]int)
	for segments := words.FromString(text); segments.Next(); {
		word := segments.Value()
		if !strings.ContainsFunc(word, unicode.IsLetter) {
			continue
		}
		word = strings.ReplaceAll(cases.Lower(language.Und).String(word), "’", "'")
		if len([]rune(word)) >= shortest {
			found[word]++
		}
	}
	return found
}

// tokenized returns the words that the tokenizer finds.
func tokenized(t *testing.T, text string, shortest int) map[string]int {
	t.Helper()
	b := bag.NewBuilder(0, false)
	batch := new(documents.Batch)
	b.Begin(batch, 0)
	cutter := newTokenizer(b, reading.Options{MinWord: shortest})
	if err := cutter.add([]byte(text)); err != nil {
		t.Fatal(err)
	}
	b.EndDocument()
	b.Finish()
	got := make(map[string]int)
	for i, code := range batch.Items {
		got[string(batch.Dictionary.ID(int(code)))] = int(batch.Counts[i])
	}
	return got
}

// TestTokenizerAgainstPackage cuts random text of all that word boundaries depend on.
func TestTokenizerAgainstPackage(t *testing.T) {
	alphabets := [][]rune{
		[]rune("abcXYZ019_'’- .,:;\t\n\r\"/@"),
		[]rune("abX1_'’.,: éÀßİIΣς日本ひらカナー한국สวั\u0301\u093f٣²Ⅷ—…\u200d\u00ad\U0001F600𝒳אב\"🇩🇪"),
	}
	random := rand.New(rand.NewPCG(5, 6))
	for round := range 20000 {
		alphabet := alphabets[round%2]
		var text strings.Builder
		for range random.IntN(20) {
			text.WriteRune(alphabet[random.IntN(len(alphabet))])
		}
		shortest := random.IntN(4)
		if got, want := tokenized(t, text.String(), shortest), naiveWords(text.String(),
			shortest); !reflect.DeepEqual(got, want) {
			t.Fatalf("round %d: %q gives %v, want %v", round, text.String(), got, want)
		}
	}
}

// TestTokenizer shows what a word is.
func TestTokenizer(t *testing.T) {
	for text, want := range map[string]string{
		"The cat's out. THE END-":     "cat's end out the×2",
		"don’t don't":                 "don't×2",
		"state-of-the-art, e.g. this": "art e.g of state the this",
		"3.14 2023 — 3D 1st!":         "1st 3d",
		"ΟΔΥΣΣΕΥΣ İstanbul STRASSE":   "i̇stanbul strasse οδυσσευς",
		"日本語 カタカナ ひと":                 "と ひ カタカナ 日 本 語",
		"한국어를 배워요":                    "배워요 한국어를",
		"😀 🇩🇪 !?":                     "",
	} {
		var words []string
		for word, count := range tokenized(t, text, 0) {
			if count > 1 {
				word += fmt.Sprint("×", count)
			}
			words = append(words, word)
		}
		slices.Sort(words)
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

// flatten lists the members and elements of a value by walking it, one level at a time.
func flatten(t *testing.T, path string, v jsonValue, into map[string]string) {
	t.Helper()
	switch v.kind() {
	case '{':
		v.walk(func(name []byte, value jsonValue) { flatten(t, path+"."+string(name), value, into) })
	case '[':
		i := 0
		v.walk(func(_ []byte, value jsonValue) {
			flatten(t, path+"["+strconv.Itoa(i)+"]", value, into)
			i++
		})
		if first := v.first(); (first == nil) != (i == 0) {
			t.Errorf("%s: the first of %d elements is %q", path, i, first)
		}
	case '"':
		into[path] = "string " + string(v.text())
	default:
		into[path] = string(v)
	}
}

// naiveFlatten does the same with the values of encoding/json.
func naiveFlatten(path string, v any, into map[string]string) {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			naiveFlatten(path+"."+name, value, into)
		}
	case []any:
		for i, value := range v {
			naiveFlatten(path+"["+strconv.Itoa(i)+"]", value, into)
		}
	case string:
		into[path] = "string " + v
	case nil:
		into[path] = "null"
	default:
		into[path] = fmt.Sprint(v)
	}
}

// TestJSONWalkAgainstPackage walks values, nested and odd, and compares with encoding/json.
func TestJSONWalkAgainstPackage(t *testing.T) {
	for _, text := range []string{`{}`, `[]`, `[[],{}]`, `"x"`, `7`, `-1.5e+3`, `true`, `null`, ` `[:0] + `{"a":1}`,
		"{ \"a\" :\t[ 1 , \"]\" ,\r\n{\"b\":null}] }",
		`{"\u0061\"b":"\\\"","":[false]}`, `{"a":{"b":{"c":[[["deep"]]]}},"d":1}`, `["{","}","[","]",",",":","\\"]`,
		`[1,2,3,-4,5e-1]`,
		`{"é":"日本語","x":"\ud83d\ude00"}`, `[ ]`, `{ }`} {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		got, want := make(map[string]string), make(map[string]string)
		flatten(t, "", jsonValue(text), got)
		naiveFlatten("", value, want)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestJSONKinds(t *testing.T) {
	for text, want := range map[string]roles.Kind{`"a"`: roles.Bytes, `7`: roles.Int, `-7`: roles.Int, `7.0`: roles.Float,
		`7e2`: roles.Float, `7E2`: roles.Float,
		`true`: roles.Other, `null`: roles.Other, `{}`: roles.Other, `[]`: roles.Other} {
		if got := jsonValue(text).idKind(); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// naiveEntry parses a line by splitting it. ok is false where the line is not three integers of at most 18 digits.
func naiveEntry(line string) (entry docwordEntry, ok bool) {
	fields := strings.FieldsFunc(strings.TrimRight(line, "\r"), func(r rune) bool { return r == ' ' || r == '\t' })
	if len(fields) != 3 {
		return entry, false
	}
	var numbers [3]int64
	for i, field := range fields {
		if digits := strings.TrimPrefix(field, "-"); len(digits) > 18 || strings.HasPrefix(field, "+") {
			return entry, false
		}
		var err error
		if numbers[i], err = strconv.ParseInt(field, 10, 64); err != nil {
			return entry, false
		}
	}
	return docwordEntry{numbers[0], numbers[1], numbers[2]}, true
}

// TestParseEntryAgainstNaive parses lines with every kind of field in every place.
func TestParseEntryAgainstNaive(t *testing.T) {
	fields := []string{"0", "1", "-5", "123456789012345678", "1234567890123456789", "", "-", "x", "1.5", "+1", "01"}
	for _, a := range fields {
		for _, b := range fields {
			for _, c := range fields {
				for _, form := range []string{"%s %s %s", " %s\t%s  %s \t", "%s %s %s\r", "%s %s %s 4"} {
					line := fmt.Sprintf(form, a, b, c)
					want, ok := naiveEntry(line)
					for _, after := range []string{"", "\n", "\n7 7 7\n"} {
						got, n := parseEntry([]byte(line + after))
						if ok != (n > 0) || ok && (got != want || n != len(line)+min(len(after), 1)) {
							t.Fatalf("%q: %v of %d bytes, want %v, %v", line+after, got, n, want, ok)
						}
					}
				}
			}
		}
	}
}

func TestParseHeaderLine(t *testing.T) {
	for line, want := range map[string]int64{"0": 0, " 12 ": 12, "7\r": 7, "9223372036854775807": 1<<63 - 1, "-1": -1,
		"": -1, "x": -1, "1 2": -1, "9223372036854775808": -1} {
		got, ok := parseHeaderLine([]byte(line))
		if ok != (want >= 0) || ok && got != want {
			t.Errorf("%q: %d, %v", line, got, ok)
		}
	}
}
