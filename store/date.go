// This file finds the dates of shards, and the window of dates that counts.

package store

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// dayFormat is the form of dates in states.
const dayFormat = "2006-01-02"

// DatePattern finds the date in the name of a shard, by the first of its expressions that finds one.
type DatePattern []*regexp.Regexp

// datePatterns are the forms that are found by default, in the order in which they are looked for.
var datePatterns = []string{"YYYY-MM-DD", "YYYYMMDD"}

// ParseDatePattern returns the pattern of a text such as YYYY-MM-DD, DD.MM.YYYY or year=YYYY/month=MM/day=DD, in which
// YYYY, MM and DD are digits and everything else is itself. The empty text means YYYY-MM-DD or YYYYMMDD.
func ParseDatePattern(text string) (p DatePattern, err error) {
	texts := []string{text}
	if text == "" {
		texts = datePatterns
	}
	for _, t := range texts {
		if strings.Count(t, "YYYY") != 1 || strings.Count(t, "MM") != 1 || strings.Count(t, "DD") != 1 {
			return nil, &Error{Path: strconv.Quote(t), Fault: BadDate,
				Reason: "is no pattern of dates: write YYYY, MM and DD once each, as in YYYY-MM-DD"}
		}
		// Digits on either side would belong to another number.
		p = append(p, regexp.MustCompile(`(?:^|\D)`+dateParts.Replace(regexp.QuoteMeta(t))+`(?:\D|$)`))
	}
	return p, nil
}

// dateParts are the parts of a pattern, and the groups that they become.
var dateParts = strings.NewReplacer("YYYY", `(?P<year>\d{4})`, "MM", `(?P<month>\d{2})`, "DD", `(?P<day>\d{2})`)

// Find returns the last date in a name, as 2006-01-02; "" if there is none.
func (p DatePattern) Find(name string) string {
	for _, form := range p {
		found := ""
		for rest := name; ; {
			at := form.FindStringSubmatchIndex(rest)
			if at == nil {
				break
			}
			if date := string(form.ExpandString(nil, "${year}-${month}-${day}", rest, at)); validDate(date) {
				found = date
			}
			rest = rest[at[2]:][1:] // the sign after a date may precede another
		}
		if found != "" {
			return found
		}
	}
	return ""
}

// validDate reports whether a text is a date of the calendar, as 2006-01-02.
func validDate(text string) bool {
	_, err := time.Parse(dayFormat, text)
	return err == nil
}

// CheckDate returns an *Error unless the text is a date such as 2026-11-22.
func CheckDate(text string) error {
	if !validDate(text) {
		return &Error{Path: strconv.Quote(text), Fault: BadDate, Reason: "is no date: write it as 2026-11-22"}
	}
	return nil
}

// day returns the number of a date's day, from some fixed one.
func day(date string) int64 {
	t, err := time.Parse(dayFormat, date)
	if err != nil {
		return 0 // states have no other dates
	}
	return t.Unix() / (24 * 60 * 60)
}

// maxDays is the greatest number of days of a window.
const maxDays = 1_000_000

// ParseDays returns the number of days of a text such as 90d or 12w; 0 for the empty text, which means no window.
func ParseDays(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	days := map[byte]int{'d': 1, 'w': 7}[text[len(text)-1]]
	n, err := strconv.Atoi(text[:len(text)-1])
	if err != nil || days == 0 || n < 1 || n > maxDays/days {
		return 0, &Error{Path: strconv.Quote(text), Fault: BadDate,
			Reason: "is no span of days: write days or weeks as 90d or 12w"}
	}
	return n * days, nil
}

// inWindow reports whether a date is one of the last days up to a latest date.
func inWindow(date, latest string, days int) bool { return day(date) > day(latest)-int64(days) }
