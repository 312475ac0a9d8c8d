// This file looks figures up in results.

package quoted

import (
	"encoding/csv"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// kind is what a number measures, as far as its unit or the head of its column says.
type kind int

const (
	plain kind = iota
	duration
	storage
	kinds
)

// unit is a unit, as a multiple of the base unit of its kind: seconds and bytes.
type unit struct {
	kind   kind
	factor float64
}

var units = map[string]unit{
	"s": {duration, 1}, "second": {duration, 1}, "seconds": {duration, 1},
	"ms": {duration, 1e-3}, "milliseconds": {duration, 1e-3}, "µs": {duration, 1e-6}, "microseconds": {duration, 1e-6},
	"ns": {duration, 1e-9}, "nanoseconds": {duration, 1e-9}, "min": {duration, 60}, "minute": {duration, 60},
	"minutes": {duration, 60}, "hour": {duration, 3600}, "hours": {duration, 3600},
	"bytes": {storage, 1}, "kB": {storage, 1e3}, "KB": {storage, 1e3}, "KiB": {storage, 1 << 10}, "MB": {storage, 1e6},
	"MiB": {storage, 1 << 20}, "GB": {storage, 1e9}, "GiB": {storage, 1 << 30},
}

// unitIn returns the unit that the head of a column or row names; empty for none, and for what is per second. The last
// word counts.
func unitIn(head string) string {
	words := strings.FieldsFunc(head, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("_,:;()[]/",
			r)
	})
	if strings.Contains(head, "/s") || slices.Contains(words, "per") {
		return ""
	}
	for _, word := range slices.Backward(words) {
		if _, known := units[word]; known || word == "%" {
			return word
		}
	}
	return ""
}

// numbers are what a figure may be, in the base unit of its kind. The numbers of all kinds are among the plain ones
// too, as they are written.
type numbers [kinds][]float64

func (n *numbers) add(value float64, of string) {
	n[plain] = append(n[plain], value)
	if u, ok := units[of]; ok {
		n[u.kind] = append(n[u.kind], value*u.factor)
	}
}

// Results are the numbers of a folder of results.
type Results struct {
	shown numbers // in README.md
	all   numbers
}

// Read reads the numbers of a folder, or of the folder that a file is in, and of those below it.
func Read(folder string) (*Results, error) {
	if info, err := os.Stat(folder); err == nil && !info.IsDir() {
		folder = filepath.Dir(folder)
	}
	r := new(Results)
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		switch filepath.Ext(path) {
		case ".md":
			for _, s := range sections(path, string(text), true) {
				for _, f := range s.Figures {
					r.shown.add(f.Value, f.Unit)
				}
			}
		case ".csv":
			return r.addCSV(string(text))
		}
		return nil
	})
	for k := range kinds {
		r.all[k] = append(r.all[k], r.shown[k]...)
		slices.Sort(r.shown[k])
		slices.Sort(r.all[k])
	}
	return r, err
}

// addCSV adds the numbers of a table, whose first row names the columns.
func (r *Results) addCSV(text string) error {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return err
	}
	for _, row := range rows[min(1, len(rows)):] {
		for column, cell := range row {
			if v, err := strconv.ParseFloat(cell, 64); err == nil && !math.IsNaN(v) && !math.IsInf(v, 0) {
				r.all.add(v, unitIn(rows[0][column]))
			}
		}
	}
	return nil
}

// strong is how many digits make a figure worth looking for among all cells.
const strong = 3

// Has says whether a figure is in the results, rounded as it is. Times must be found among times and memory among
// memory, in any unit; a percentage may be a share. Signs do not matter: a text may say how much less something is.
func (r *Results) Has(f Figure) bool {
	of := &r.shown
	if f.Digits >= strong {
		of = &r.all
	}
	u, known := units[f.Unit]
	factors := []float64{1}
	switch {
	case known:
		factors[0] = u.factor
	case f.Unit == "%":
		factors = append(factors, 0.01)
	}
	for _, factor := range factors {
		for _, value := range []float64{f.Value, -f.Value} {
			low, high := (value-f.Places*(1+1e-9))*factor, (value+f.Places*(1+1e-9))*factor
			if at, _ := slices.BinarySearch(of[u.kind], low); at < len(of[u.kind]) && of[u.kind][at] <= high {
				return true
			}
		}
	}
	return false
}
