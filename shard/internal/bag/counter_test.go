package bag

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
)

// TestCounterText reads the counts of texts by the rule that takes nothing but counts.
func TestCounterText(t *testing.T) {
	good := map[string]int32{"1": 1, "007": 7, "1.0": 1, "1.": 1, "1e3": 1000, "+1": 1, "2147483647": documents.MaxCount,
		"0x10p0": 16, "2.000": 2}
	for text, want := range good {
		if got, err := new(Counter).Text([]byte(text)); got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{
		"": "null or missing", "x": "not a number", "1,5": "has a comma", "1x": "not a number", "0": "count 0",
		"-1": "count -1 is negative", "-0": "count 0",
		"1.5": "1.5 is not a whole number: give the counts as they were", "2147483648": "greater than 2147483647",
		"1e300": "greater than",
		"1e400": "out of range", "nan": "null or missing", "inf": "greater than", "99999999999999999999": "greater than",
	} {
		got, err := new(Counter).Text([]byte(text))
		if err == nil || !strings.Contains(err.Error(), want) || !fault.IsRow(err) {
			t.Errorf("%q: %d, %v; want %q", text, got, err, want)
		}
	}
}

// TestRules counts amounts of all types by every rule.
func TestRules(t *testing.T) {
	for text, test := range map[string]struct {
		want map[string]int32 // -1 for an error
		left documents.LeftOut
	}{
		"exact": {map[string]int32{"2": 2, "2.5": -1, "-2": -1, "0": -1, "": -1}, documents.LeftOut{}},
		"round": {map[string]int32{"2": 2, "2.5": 3, "2.4": 2, "0.1": 1, "-2": -1, "0": -1, "": -1,
			"2147483647.5": -1}, documents.LeftOut{}},
		"ceil":          {map[string]int32{"2": 2, "2.5": 3, "2.1": 3, "0.1": 1, "-2.5": -1}, documents.LeftOut{}},
		"drop-negative": {map[string]int32{"2": 2, "-2": 0, "-2.5": 0, "2.5": -1, "0": -1}, documents.LeftOut{Negative: 2}},
		"drop-zero":     {map[string]int32{"2": 2, "0": 0, "0.0": 0, "-0": 0, "-1": -1, "": -1}, documents.LeftOut{Zero: 3}},
		"drop-empty":    {map[string]int32{"2": 2, "": 0, "nan": 0, "0": -1}, documents.LeftOut{Empty: 2}},
		"round,drop-negative,drop-zero,drop-empty": {map[string]int32{"0.2": 1, "-0.2": 0, "0": 0, "": 0, "x": -1},
			documents.LeftOut{Negative: 1, Zero: 1, Empty: 1}},
	} {
		rule, err := documents.ParseCountRule(text)
		if err != nil || rule.String() != text {
			t.Fatalf("%q became %q, %v", text, rule, err)
		}
		c := Counter{Rule: rule}
		for amount, want := range test.want {
			got, err := c.Text([]byte(amount))
			if (err != nil) != (want < 0) || err == nil && got != want {
				t.Errorf("%s: %q: %d, %v; want %d", text, amount, got, err, want)
			}
		}
		if c.Left != test.left {
			t.Errorf("%s: left out %+v, want %+v", text, c.Left, test.left)
		}
	}
	for _, text := range []string{"", "rounded", "round,ceil", "exact,round", "round,,ceil"} {
		if r, err := documents.ParseCountRule(text); err == nil {
			t.Errorf("%q is %v", text, r)
		}
	}
}

// twin is Counter as big rational numbers have it: a count, 0 for what is left out, -1 for an error.
func twin(rule documents.CountRule, amount *big.Rat) int32 {
	whole := new(big.Int).Quo(new(big.Int).Abs(amount.Num()), amount.Denom())
	rest := new(big.Rat).Sub(new(big.Rat).Abs(amount), new(big.Rat).SetInt(whole))
	half := rest.Cmp(big.NewRat(1, 2)) >= 0
	switch {
	case amount.Sign() < 0 && rule.DropNegative, amount.Sign() == 0 && rule.DropZero:
		return 0
	case amount.Sign() > 0 && rule.Fractions == documents.Once:
		return 1
	case amount.Sign() <= 0, rest.Sign() != 0 && rule.Fractions == documents.Exact:
		return -1
	case rest.Sign() != 0 && (rule.Fractions == documents.Ceil || half || whole.Sign() == 0):
		whole.Add(whole, big.NewInt(1))
	}
	if whole.Cmp(big.NewInt(documents.MaxCount)) > 0 {
		return -1
	}
	return int32(whole.Int64())
}

// checkDecimal compares decimals of all sizes with the twin.
func checkDecimal(t *testing.T, rule documents.CountRule, data []byte, scale int) {
	t.Helper()
	d, c := NewDecimals(scale), Counter{Rule: rule}
	got, err := d.Bytes(&c, data)
	if len(data) == 0 || len(data) > MaxDecimalBytes {
		if err == nil {
			t.Errorf("%d bytes are %d", len(data), got)
		}
		return
	}
	n := new(big.Int).SetBytes(data)
	if data[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(data))))
	}
	amount := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil))
	want := twin(rule, amount)
	if (err != nil) != (want < 0) || err == nil && got != want {
		t.Errorf("%v·10^-%d by %s: %d, %v; want %d", n, scale, rule, got, err, want)
	}
	if n.IsInt64() {
		if small, failure := d.Small(&c, n.Int64()); small != got || (failure != nil) != (err != nil) {
			t.Errorf("%v·10^-%d: %d from 64 bits, %d from bytes", n, scale, small, got)
		}
	}
	if text, number, err := d.ID(data); err != nil || n.IsInt64() && (text != nil || number != n.Int64()) ||
		!n.IsInt64() && string(text) != n.String() {
		t.Errorf("%v as an id: %q %d, %v", n, text, number, err)
	}
}

// TestDecimals reads decimals around the borders of sizes and counts.
func TestDecimals(t *testing.T) {
	rules := []documents.CountRule{{}, {Fractions: documents.Round}, {Fractions: documents.Once}, {Fractions: documents.Ceil, DropNegative: true,
		DropZero: true}}
	for _, rule := range rules {
		for _, scale := range []int{0, 1, 2, 18, 19, 38, MaxScale} {
			power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
			for _, times := range []int64{0, 1, 3, documents.MaxCount, documents.MaxCount + 1} {
				for _, more := range []int64{-1, 0, 1} {
					n := new(big.Int).Add(new(big.Int).Mul(power, big.NewInt(times)), big.NewInt(more))
					half := new(big.Int).Add(n, new(big.Int).Quo(power, big.NewInt(2)))
					for _, n := range []*big.Int{n, half, new(big.Int).Neg(n)} {
						checkDecimal(t, rule, complement(n, 40), scale)
						for _, size := range []int{8, 16, 32} {
							if n.BitLen() < 8*size {
								checkDecimal(t, rule, complement(n, size), scale)
							}
						}
					}
				}
			}
		}
	}
	if got, err := NewDecimals(0).Small(new(Counter), math.MinInt64); err == nil {
		t.Errorf("the least number is %d", got)
	}
	c := Counter{}
	if _, err := NewDecimals(3).Small(&c, 2500); err == nil || !strings.Contains(err.Error(),
		"count 2.5 is not a whole number") {
		t.Errorf("2500·10^-3: %v", err)
	}
}

// complement returns the two's complement of n in the given number of bytes, the highest first.
func complement(n *big.Int, size int) []byte {
	mod := new(big.Int).Lsh(big.NewInt(1), uint(8*size))
	data := make([]byte, size)
	return new(big.Int).Mod(n, mod).FillBytes(data)
}

// FuzzDecimals compares any bytes with the twin.
func FuzzDecimals(f *testing.F) {
	f.Add([]byte{1, 2}, uint8(1), uint8(0))
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x80}, uint8(18), uint8(5))
	f.Add(make([]byte, 33), uint8(76), uint8(31))
	f.Add([]byte("A0101012200000000000000"), uint8('m'), uint8(31)) // rounded up beyond 64 bits
	f.Fuzz(func(t *testing.T, data []byte, scale, how uint8) {
		rule := documents.CountRule{Fractions: documents.Fractions(how % 3), DropNegative: how&4 != 0, DropZero: how&8 != 0,
			DropEmpty: how&16 != 0}
		checkDecimal(t, rule, data, int(scale)%(MaxScale+1))
	})
}

// TestLeave leaves documents out in the middle of a batch: their ids do not stay in the dictionary, and the next
// documents are as if nothing had been.
func TestLeave(t *testing.T) {
	b := NewBuilder(0, false)
	b.MaxBad = 2
	var batch documents.Batch
	b.Begin(&batch, 0)
	add := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			code, err := b.CodeOfBytes([]byte(id))
			if err == nil {
				err = b.Add(code, 1)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	bad := fault.InRow(&fault.Error{Path: "p", Row: 2, Err: ErrNullItem})
	add("a", "b")
	b.EndDocument()
	add("x", "a", "y")
	if err := b.Leave(bad); err != nil {
		t.Fatal(err)
	}
	b.EndDocument()
	add("y", "a", "c")
	b.EndDocument()
	if err := b.Leave(bad); err != nil {
		t.Fatal(err)
	}
	if err := b.Leave(bad); fault.ReasonOf(err) != fault.BadRows || !strings.Contains(err.Error(),
		"an item is null; 2 bad rows before it") {
		t.Errorf("the third bad row: %v", err)
	}
	b.Finish()
	var ids []string
	for i := range batch.Dictionary.Len() {
		ids = append(ids, string(batch.Dictionary.ID(i)))
	}
	if got := strings.Join(ids, " "); got != "a b y c" {
		t.Errorf("the dictionary is %s", got)
	}
	if batch.Left != (documents.LeftOut{Bad: 2, First: "p, row 2: an item is null"}) || len(batch.Offsets) != 4 ||
		batch.Offsets[2] != 2 {
		t.Errorf("left out %+v, offsets %v", batch.Left, batch.Offsets)
	}
	for i, want := range []int32{0, 1, 2, 0, 3} {
		if batch.Items[i] != want {
			t.Errorf("items %v", batch.Items)
			break
		}
	}
}
