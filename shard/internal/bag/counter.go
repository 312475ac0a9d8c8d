// This file turns amounts of all types into counts, and reads whole numbers in text and in bytes.

package bag

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
)

// Counter turns amounts into counts by its rule. Each method returns 0 for an amount that the rule leaves out, which it
// adds to Left, and an error of a row for one that is no count.
type Counter struct {
	Rule documents.CountRule
	Left documents.LeftOut
}

// fraction says how much of an amount is beyond its whole part.
type fraction int

const (
	noFraction fraction = iota
	belowHalf
	halfOrMore
)

// Integer returns the count of a whole number.
func (c *Counter) Integer(n int64) (int32, error) {
	if n >= 1 && n <= documents.MaxCount && c.Rule.Fractions != documents.Once {
		return int32(n), nil
	}
	return c.other(n < 0, uint64(max(n, 0)), noFraction, func() string { return strconv.FormatInt(n, 10) })
}

// Unsigned returns the count of a whole number.
func (c *Counter) Unsigned(n uint64) (int32, error) {
	if n <= math.MaxInt64 {
		return c.Integer(int64(n))
	}
	return c.other(false, n, noFraction, func() string { return strconv.FormatUint(n, 10) })
}

// Float returns the count of a floating-point number.
func (c *Counter) Float(f float64) (int32, error) {
	if math.IsNaN(f) {
		return c.Nothing()
	}
	whole, part := math.Modf(math.Abs(f))
	beyond := noFraction
	switch {
	case part >= 0.5:
		beyond = halfOrMore
	case part > 0:
		beyond = belowHalf
	}
	return c.other(f < 0, uint64(min(whole, 1<<62)), beyond, func() string { return strconv.FormatFloat(f, 'g', -1, 64) })
}

// Text returns the count that a text gives: a number, perhaps with a fraction or an exponent.
func (c *Counter) Text(text []byte) (int32, error) {
	if n, ok := WholeNumber(text); ok {
		return c.Integer(n)
	}
	if len(text) == 0 {
		return c.Nothing()
	}
	number := string(text)
	if c.Rule.Decimal != documents.PlainPoint {
		number = plainNumber(number, c.Rule.Decimal)
	}
	f, err := strconv.ParseFloat(number, 64)
	switch {
	case err == nil:
		return c.Float(f)
	case errors.Is(err, strconv.ErrRange):
		return 0, fault.InRow(fmt.Errorf("count %.40q is out of range", text))
	}
	if bytes.IndexByte(text, ',') >= 0 && c.Rule.Decimal == documents.PlainPoint {
		return 0, fault.InRow(fault.Because(fault.CountComma, "count %.40q has a comma, which may be in front of "+
			"decimals or "+
			"between thousands", text))
	}
	return 0, fault.InRow(fmt.Errorf("count %.40q is not a number", text))
}

// thousands are the signs that may be between thousands, beside a point or a comma.
var thousands = strings.NewReplacer(" ", "'", "\u00a0", "'", "\u202f", "'", "’", "'")

// plainNumber returns a number with a decimal point and without signs between thousands; one that is malformed stays
// so.
func plainNumber(number string, decimal documents.Decimal) string {
	point, mark := ".", ","
	if decimal == documents.DecimalComma {
		point, mark = mark, point
	}
	whole, rest, found := strings.Cut(number, point)
	groups := strings.Split(strings.ReplaceAll(thousands.Replace(whole), mark, "'"), "'")
	for _, group := range groups[1:] {
		if len(group) != 3 {
			return number
		}
	}
	if number = strings.Join(groups, ""); found {
		number += "." + rest
	}
	return number
}

// Nothing returns the count of a missing amount.
func (c *Counter) Nothing() (int32, error) {
	if c.Rule.DropEmpty {
		c.Left.Empty++
		return 0, nil
	}
	return 0, fault.InRow(fault.Because(fault.CountEmpty, "a count is null or missing"))
}

// other returns the count of an amount: its sign, its whole part, and what is beyond that. text writes the amount.
func (c *Counter) other(negative bool, whole uint64, beyond fraction, text func() string) (int32, error) {
	switch {
	case negative && c.Rule.DropNegative:
		c.Left.Negative++
		return 0, nil
	case negative:
		return 0, fault.InRow(fault.Because(fault.CountNegative, "count %s is negative", text()))
	case c.Rule.Fractions == documents.Once && (whole > 0 || beyond != noFraction):
		return 1, nil
	case beyond != noFraction && c.Rule.Fractions == documents.Exact:
		return 0, fault.InRow(fault.Because(fault.CountFraction, "count %s is not a whole number: give the counts as they "+
			"were before weighting or normalization",
			text()))
	case beyond != noFraction && (c.Rule.Fractions == documents.Ceil || beyond == halfOrMore || whole == 0):
		whole++
	}
	switch {
	case whole == 0 && c.Rule.DropZero:
		c.Left.Zero++
		return 0, nil
	case whole == 0:
		return 0, fault.InRow(fault.Because(fault.CountZero, "count 0: an item that does not occur must not be listed"))
	case whole > documents.MaxCount:
		return 0, fault.InRow(fmt.Errorf("count %s is greater than %d", text(), documents.MaxCount))
	}
	return int32(whole), nil
}

// MaxDecimalBytes is the length of the longest unscaled decimal.
const MaxDecimalBytes = 32

// Decimals turns unscaled integers into decimal numbers: n means n·10^-Scale. It belongs to one goroutine.
type Decimals struct {
	power     int64   // 10^scale; 0 if it does not fit
	divisor   big.Int // 10^scale
	n, q, rem big.Int
}

// MaxScale is the greatest number of digits after the point.
const MaxScale = 76

// NewDecimals returns the decimals of a scale from 0 to MaxScale.
func NewDecimals(scale int) *Decimals {
	d := new(Decimals)
	if scale <= 18 {
		d.power = int64(math.Pow10(scale))
	}
	d.divisor.Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	return d
}

// Small returns the count of an unscaled integer.
func (d *Decimals) Small(c *Counter, n int64) (int32, error) {
	if d.power == 1 {
		return c.Integer(n)
	}
	if d.power == 0 || n == math.MinInt64 {
		d.n.SetInt64(n)
		return d.large(c)
	}
	size := n
	if n < 0 {
		size = -n
	}
	whole, rest := size/d.power, size%d.power
	beyond := noFraction
	switch {
	case rest >= d.power-rest:
		beyond = halfOrMore
	case rest > 0:
		beyond = belowHalf
	}
	return c.other(n < 0, uint64(whole), beyond, func() string { return d.text(big.NewInt(n)) })
}

// Bytes returns the count of an unscaled integer in two's complement, the highest byte first.
func (d *Decimals) Bytes(c *Counter, data []byte) (int32, error) {
	if n, ok := smallInteger(data); ok {
		return d.Small(c, n)
	}
	if err := d.set(data); err != nil {
		return 0, err
	}
	return d.large(c)
}

// set makes n the integer that data encodes.
func (d *Decimals) set(data []byte) error {
	if len(data) == 0 || len(data) > MaxDecimalBytes {
		return fault.InRow(fmt.Errorf("a decimal has %d bytes; 1 to %d are possible", len(data), MaxDecimalBytes))
	}
	d.n.SetBytes(data)
	if data[0] >= 0x80 {
		d.q.SetBit(d.q.SetInt64(0), 8*len(data), 1)
		d.n.Sub(&d.n, &d.q)
	}
	return nil
}

// large returns the count of n.
func (d *Decimals) large(c *Counter) (int32, error) {
	negative := d.n.Sign() < 0
	d.q.Abs(&d.n)
	d.q.QuoRem(&d.q, &d.divisor, &d.rem)
	whole := uint64(1 << 62) // more than any count; rounding up must not begin again at 0
	if d.q.IsUint64() {
		whole = min(d.q.Uint64(), whole)
	}
	beyond := noFraction
	if d.rem.Sign() > 0 {
		beyond = belowHalf
		if d.rem.Lsh(&d.rem, 1).Cmp(&d.divisor) >= 0 {
			beyond = halfOrMore
		}
	}
	n := d.n
	return c.other(negative, whole, beyond, func() string { return d.text(&n) })
}

// ID returns the integer that data encodes as an id: a number, or its digits where it does not fit. The scale is 0.
func (d *Decimals) ID(data []byte) (text []byte, number int64, err error) {
	if number, ok := smallInteger(data); ok {
		return nil, number, nil
	}
	if err := d.set(data); err != nil {
		return nil, 0, err
	}
	return d.n.Append(nil, 10), 0, nil
}

// smallInteger returns the value of an integer in two's complement that has no more than 64 bits, the highest byte
// first.
func smallInteger(data []byte) (n int64, ok bool) {
	if len(data) == 0 || len(data) > MaxDecimalBytes {
		return 0, false
	}
	sign := int8(data[0]) >> 7 // 0 or -1
	for len(data) > 8 {
		if int8(data[0]) != sign || int8(data[1])>>7 != sign {
			return 0, false
		}
		data = data[1:]
	}
	n = int64(sign)
	for _, b := range data {
		n = n<<8 | int64(b)
	}
	return n, true
}

// text writes n with its point.
func (d *Decimals) text(n *big.Int) string {
	return new(big.Float).SetPrec(320).Quo(new(big.Float).SetInt(n), new(big.Float).SetInt(&d.divisor)).Text('g', 20)
}

// WholeNumber returns the value of a text that is made of 1 to 18 digits.
func WholeNumber(text []byte) (value int64, ok bool) {
	if len(text) == 0 || len(text) > 18 {
		return 0, false
	}
	for _, b := range text {
		digit := b - '0'
		if digit > 9 {
			return 0, false
		}
		value = value*10 + int64(digit)
	}
	return value, true
}

// CanonicalNumber returns the value of a text that is the decimal number which strconv.AppendInt would write.
func CanonicalNumber(text []byte) (value int64, ok bool) {
	digits := text
	if len(digits) > 1 && digits[0] == '-' {
		digits = digits[1:]
	}
	if value, ok = WholeNumber(digits); !ok || digits[0] == '0' && len(text) > 1 {
		return 0, false
	}
	if len(digits) < len(text) {
		value = -value
	}
	return value, true
}

// Unsigned returns a number of 1, 2, 4 or 8 bytes, the least significant first.
func Unsigned(b []byte) uint64 {
	switch len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

// Signed is Unsigned for numbers in two's complement.
func Signed(b []byte) int64 {
	unused := 64 - 8*len(b)
	return int64(Unsigned(b)) << unused >> unused
}
