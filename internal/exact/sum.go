// This file holds sums without rounding.

package exact

import (
	"context"
	"math"
	"math/big"

	"anchorage/internal/collective"
	"anchorage/matrix"
)

const (
	digitBits = 32
	digits    = 67      // of 32 bits, from 2^−1074 on: 2^1024·2^31 fits
	mostTerms = 1 << 30 // that may be added before carries are passed on
	lowest    = -1074   // the exponent of the least positive number
)

// Sum is an exact sum of numbers (Kulisch 2013; Neal, arXiv:1505.05571): integers in digits of 32 bits, each held in
// 64, so that carries wait. The zero value is 0. Two sums with the same numbers are equal once normalized.
type Sum struct {
	digits [digits]int64
	odd    int64 // numbers that are not finite
	terms  int64 // since carries were passed on
}

// Add adds a number.
func (s *Sum) Add(x float64) {
	if x == 0 {
		return
	}
	bits := math.Float64bits(x)
	exponent, mantissa := int(bits>>52&0x7ff), bits&(1<<52-1)
	switch exponent {
	case 0x7ff:
		s.odd++
		return
	case 0:
		exponent = 1
	default:
		mantissa |= 1 << 52
	}
	if s.terms++; s.terms == mostTerms {
		s.normalize()
	}
	at, shift := (exponent-1)/digitBits, uint((exponent-1)%digitBits)
	low, high := mantissa<<shift, mantissa>>(64-shift) // a shift by 64 gives 0
	parts := [3]int64{int64(low & (1<<digitBits - 1)), int64(low >> digitBits), int64(high)}
	sign := int64(bits) >> 63 // −1 or 0
	for i, part := range parts {
		s.digits[at+i] += part ^ sign - sign
	}
}

// normalize passes carries on: all digits but the last become those from 0 to 2³²−1.
func (s *Sum) normalize() {
	s.terms = 0
	for i := range digits - 1 {
		carry := s.digits[i] >> digitBits
		s.digits[i] -= carry << digitBits
		s.digits[i+1] += carry
	}
}

// Value returns the number nearest to the sum; NaN if a number was not finite.
func (s *Sum) Value() float64 {
	if s.odd > 0 {
		return math.NaN()
	}
	total, digit := new(big.Int), new(big.Int)
	for i := digits - 1; i >= 0; i-- {
		total.Add(total.Lsh(total, digitBits), digit.SetInt64(s.digits[i]))
	}
	value := new(big.Float).SetInt(total) // with as many bits as it has
	nearest, _ := value.SetMantExp(value, lowest).Float64()
	return nearest
}

// Share adds the sums of all processes of a layout: afterwards every process has the same. Their number must be the
// same on every process.
func Share(ctx context.Context, layout matrix.Layout, sums ...*Sum) error {
	if layout == nil {
		return ctx.Err()
	}
	var values []int64
	for _, s := range sums {
		s.normalize()
		values = append(append(values, s.digits[:]...), s.odd)
	}
	if err := collective.Sum(ctx, collective.Of(layout), values); err != nil {
		return err
	}
	for _, s := range sums {
		s.odd = values[copy(s.digits[:], values)]
		s.normalize()
		values = values[digits+1:]
	}
	return nil
}
