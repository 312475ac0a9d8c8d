// This file finds the figures of a document.

package quoted

import (
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Figure is a number of a document.
type Figure struct {
	Line    int
	Text    string   // as it is written, with its unit
	Value   float64  // without the unit
	Places  float64  // half a unit of the last digit
	Digits  int      // significant ones, as written
	Unit    string   // empty for none
	Results []string // that the section links to
}

// Section is a part of a document under one heading.
type Section struct {
	File    string // as given
	Heading string // empty before the first one
	Line    int
	// folders or files of results that it links to, or the section of the document's title, below the folder of results
	Results []string
	Figures []Figure
}

var (
	fence    = regexp.MustCompile("^\\s*```")
	heading  = regexp.MustCompile(`^(#+)\s+(.*)`)
	code     = regexp.MustCompile("`[^`]*`")
	target   = regexp.MustCompile(`\]\(([^)\s]*)\)`)
	resultOf = regexp.MustCompile(`(?:^|/)bench/results/([^)#\s]*)`)
	// number matches a number that is no part of a word, with its power of ten and its unit.
	number = regexp.MustCompile(`(^|[^\pL\pN_.,\-/^⁻])([−+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[−+-]?\d+(?:\.\d+)?)` +
		`(·10([⁻⁰¹²³⁴-⁹]+))?(?:[  ]?(%|ms|µs|ns|s|min|minutes?|hours?|seconds?|MB|MiB|GB|GiB|KB|KiB|kB|nats)` +
		`(?:[^\pL\pN]|$))?`)
	powers = strings.NewReplacer("⁻", "-", "⁰", "0", "¹", "1", "²", "2", "³", "3", "⁴", "4", "⁵", "5", "⁶", "6", "⁷", "7",
		"⁸", "8", "⁹", "9")
)

// Sections divides a document.
func Sections(file, text string) []Section { return sections(file, text, false) }

// sections divides a document; whole takes all numbers for figures, those in code included.
func sections(file, text string, whole bool) []Section {
	list := []Section{{File: file, Line: 1}}
	inCode := false
	var units []string // of the columns of a table
	for at, line := range strings.Split(text, "\n") {
		if fence.MatchString(line) {
			inCode = !inCode
			continue
		}
		if inCode && !whole {
			continue
		}
		if match := heading.FindStringSubmatch(line); match != nil {
			next := Section{File: file, Heading: match[2], Line: at + 1}
			if top := list[min(1, len(list)-1)]; len(list) > 1 && len(match[1]) > 1 {
				next.Results = slices.Clone(top.Results)
			}
			list = append(list, next)
			continue
		}
		s := &list[len(list)-1]
		for _, match := range target.FindAllStringSubmatch(line, -1) {
			if of := resultOf.FindStringSubmatch(path.Clean(match[1])); of != nil {
				s.Results = append(s.Results, of[1])
			}
		}
		line = target.ReplaceAllString(line, "]")
		if !whole {
			line = code.ReplaceAllString(line, "`")
		}
		if !strings.HasPrefix(line, "|") {
			units = nil
			s.add(line, at+1, "", whole)
			continue
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if units == nil {
			for _, cell := range cells {
				units = append(units, unitIn(cell))
			}
			continue
		}
		row := "" // a row may be a figure, under its name
		for _, name := range cells[:min(2, len(cells))] {
			if row == "" && !strings.ContainsAny(name, "0123456789") {
				row = unitIn(name)
			}
		}
		for column, cell := range cells {
			unit := row
			if row == "" && column < len(units) {
				unit = units[column]
			}
			s.add(cell, at+1, unit, whole)
		}
	}
	for i := range list {
		for f := range list[i].Figures {
			list[i].Figures[f].Results = list[i].Results
		}
	}
	return list
}

// add adds the figures of a text; unit is that of numbers without one.
func (s *Section) add(text string, line int, unit string, whole bool) {
	for {
		m := number.FindStringSubmatchIndex(text)
		if m == nil {
			return
		}
		of := func(group int) string {
			if m[2*group] < 0 {
				return ""
			}
			return text[m[2*group]:m[2*group+1]]
		}
		f := Figure{Line: line, Text: strings.TrimSpace(of(2) + of(3) + " " + of(5)), Unit: of(5)}
		if f.Unit == "" {
			f.Unit = unit
		}
		if f.parse(of(2), of(4)) || whole {
			s.Figures = append(s.Figures, f)
		}
		end := m[5]
		if m[11] > end {
			end = m[11]
		}
		text = text[end:]
	}
}

// parse reads the number, and says whether it is a figure.
func (f *Figure) parse(digits, power string) bool {
	written := strings.ReplaceAll(strings.TrimLeft(digits, "−+-"), ",", "")
	whole, fraction, decimal := strings.Cut(written, ".")
	value, err := strconv.ParseFloat(written, 64)
	if err != nil {
		return false
	}
	if strings.HasPrefix(digits, "−") || strings.HasPrefix(digits, "-") {
		value = -value
	}
	scale := 1.0
	if power != "" {
		exponent, err := strconv.Atoi(powers.Replace(power))
		if err != nil {
			return false
		}
		scale = math.Pow(10, float64(exponent))
	}
	f.Value, f.Places = value*scale, 0.5*math.Pow(10, -float64(len(fraction)))*scale
	f.Digits = len(strings.TrimLeft(whole+fraction, "0"))
	if rounded := strings.TrimRight(whole, "0"); !decimal && len(whole) > 3 { // as in 56,700
		f.Places *= math.Pow(10, float64(len(whole)-len(rounded)))
	}
	return decimal || f.Unit != "" || strings.HasPrefix(power, "⁻")
}
