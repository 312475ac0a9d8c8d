// This file sums up what was read, whatever its type, so that two readings can be compared.

package soak

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"reflect"
	"slices"
)

// digest returns a sum over all numbers, texts and flags that values hold, behind pointers and in fields that are not
// exported too.
func digest(values ...any) string {
	d := digester{sha256.New(), make(map[uintptr]bool)}
	for _, v := range values {
		d.add(reflect.ValueOf(v))
	}
	return fmt.Sprintf("%x", d.Sum(nil))
}

type digester struct {
	hash.Hash
	seen map[uintptr]bool // pointers
}

func (d digester) add(v reflect.Value) {
	switch v.Kind() {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Invalid:
		return
	case reflect.Pointer:
		if v.IsNil() || d.seen[v.Pointer()] {
			return
		}
		d.seen[v.Pointer()] = true
		d.add(v.Elem())
	case reflect.Interface:
		d.add(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			d.add(v.Field(i))
		}
	case reflect.Slice, reflect.Array:
		fmt.Fprintf(d, "%d ", v.Len())
		for i := range v.Len() {
			d.add(v.Index(i))
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys,
			func(a, b reflect.Value) int { return slices.Compare([]string{fmt.Sprint(a)}, []string{fmt.Sprint(b)}) })
		for _, key := range keys {
			d.add(key)
			d.add(v.MapIndex(key))
		}
	default:
		fmt.Fprintf(d, "%v ", v)
	}
}
