// This file reads the times of documents.

package transform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"anchorage/shard"
	"anchorage/shard/fault"
)

// NoTime is the time of a document that has none.
const NoTime = math.MinInt64

// TimeError reports times that cannot be read.
type TimeError struct {
	Path   string // of the shard
	Row    int64  // number of the document, from 1; 0 if it is not about one
	Column bool   // it is about the column, and another may have times
	Reason string
}

// Error names the shard and the row.
func (e *TimeError) Error() string {
	if e.Row == 0 {
		return e.Path + ": " + e.Reason
	}
	return fmt.Sprintf("%s, row %d: %s", e.Path, e.Row, e.Reason)
}

// The reasons for shards without times.
const (
	otherDocuments = "the column of times does not have the documents that the items have"
	noColumn       = "the format has no column of times"
)

// layouts are the forms of time in text, besides those with a zone.
var layouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02 15:04", "2006-01-02", "2006/01/02", "20060102", "2006-01", "1/2/2006 15:04", "1/2/2006",
	"2.1.2006", "2.1.2006 15:04", "2.1.2006 15:04:05"}

// ParseTime returns a time in microseconds since 1970 (UTC), from a date, a date and a time, or RFC 3339; a text
// without a zone is in UTC. Of dates with points the day comes first, of those with slashes the year or the month. A
// number from 1000 to 2999 is a year. Any other counts days, seconds, milliseconds, microseconds or nanoseconds since
// 1970. Which of them follows from its size: below 10⁶, 10¹¹, 10¹⁴, 10¹⁷ and above. Eight digits are a date, as in
// 20240531. An empty text is NoTime.
func ParseTime(text string) (int64, error) {
	if text == "" {
		return NoTime, nil
	}
	for _, layout := range layouts {
		if len(text) < len("2006-01") {
			break
		}
		if t, err := time.ParseInLocation(layout, text, time.UTC); err == nil {
			return t.UnixMicro(), nil
		}
	}
	if number, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(number) < 1e19 {
		return fromNumber(number), nil
	}
	return 0, fmt.Errorf("%.40q is not a time: use a date such as 2024-05-31, RFC 3339, or a number of seconds since 1970",
		text)
}

// fromNumber converts a number, whose size gives its unit.
func fromNumber(x float64) int64 {
	if x >= 1000 && x <= 2999 && x == math.Trunc(x) { // as days they would be in the seventies
		return time.Date(int(x), time.January, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
	}
	switch size := math.Abs(x); {
	case size < 1e6:
		x *= 24 * 60 * 60 * 1e6
	case size < 1e11:
		x *= 1e6
	case size < 1e14:
		x *= 1e3
	case size >= 1e17:
		x /= 1e3
	}
	return int64(x)
}

// timeParts returns the parts of a shard with the times of its documents: as the documents' names where each row is a
// document, as their items where a document has several rows, which is long. It returns none if column is empty. There
// must be n parts, those that are read for the items.
func timeParts(ctx context.Context, s shard.Shard, column string, n int) (parts []shard.Part, long bool, err error) {
	if column == "" {
		return nil, false, nil
	}
	description, err := s.Describe(ctx)
	if err != nil {
		return nil, false, err
	}
	if len(description.Columns) == 0 {
		return nil, false, &TimeError{Path: s.Path, Reason: noColumn}
	}
	long = description.Mapping != nil && description.Mapping.Long
	named := s.WithNames(column)
	if long {
		named = s.WithNames("").WithItems(column)
	}
	if parts, err = named.Parts(ctx); err != nil {
		return nil, false, unfitTimes(err)
	}
	if len(parts) != n {
		return nil, false, &TimeError{Path: s.Path, Reason: otherDocuments}
	}
	return parts, long, nil
}

// unfitTimes returns the error of a column that is read for its times as one of times.
func unfitTimes(err error) error {
	e := new(shard.Error)
	if errors.As(err, &e) && (e.Reason() == fault.DocumentsUnfit || e.Reason() == fault.ItemsUnfit) {
		return &TimeError{Path: e.Path, Column: true, Reason: e.Err.Error()}
	}
	return err
}

// CheckTimes returns a *TimeError if the beginning of a shard has no such column of times. With an empty column it does
// nothing.
func CheckTimes(ctx context.Context, s shard.Shard, column string) error {
	parts, err := s.WithNames("").Parts(ctx)
	if err != nil || column == "" {
		return err
	}
	timed, long, err := timeParts(ctx, s, column, len(parts))
	if err != nil || len(timed) == 0 {
		return err
	}
	first, err := openTimes(ctx, timed[0], long)
	if err != nil {
		return err
	}
	defer first.reader.Close()
	if err := first.reader.Next(&first.batch); err != io.EOF {
		return unfitTimes(err)
	}
	return nil
}

// timeReader reads a part of a shard once more, for its times.
type timeReader struct {
	reader shard.Reader
	path   string
	long   bool
	batch  shard.Batch
	at     int  // document of the batch that is next
	days   bool // come first in dates with slashes
	known  map[string]int64
}

func openTimes(ctx context.Context, part shard.Part, long bool) (*timeReader, error) {
	reader, err := shard.Open(ctx, part)
	if err != nil {
		return nil, unfitTimes(err)
	}
	return &timeReader{reader: reader, path: part.Shard.Path, long: long, known: make(map[string]int64)}, nil
}

// most is how many different texts of times are remembered.
const most = 1 << 16

// fill sets the times of a batch.
func (r *timeReader) fill(b *batch) error {
	b.times = b.times[:0]
	for d := range b.Documents() {
		for r.at >= r.batch.Documents() {
			r.at = 0
			if err := r.reader.Next(&r.batch); err == io.EOF {
				return &TimeError{Path: r.path, Reason: otherDocuments}
			} else if err != nil {
				return unfitTimes(err)
			}
		}
		row := b.FirstRow + int64(d)
		if r.batch.FirstRow+int64(r.at) != row || !r.same(&b.Batch, d) {
			return &TimeError{Path: r.path, Row: row + 1, Reason: otherDocuments}
		}
		t, err := r.time()
		if err != nil {
			return &TimeError{Path: r.path, Row: row + 1, Reason: err.Error()}
		}
		b.times = append(b.times, t)
		r.at++
	}
	return nil
}

// same reports whether a document is the next one here: by its name, or where the names are times by the counts of its
// items.
func (r *timeReader) same(b *shard.Batch, d int) bool {
	if r.long {
		return string(b.Names.ID(d)) == string(r.batch.Names.ID(r.at))
	}
	return slices.Equal(b.Counts[b.Offsets[d]:b.Offsets[d+1]],
		r.batch.Counts[r.batch.Offsets[r.at]:r.batch.Offsets[r.at+1]])
}

// time returns the time of the next document, the earliest if its rows have several.
func (r *timeReader) time() (int64, error) {
	if !r.long {
		return r.parse(r.batch.Names.ID(r.at))
	}
	earliest := int64(NoTime)
	for _, code := range r.batch.Items[r.batch.Offsets[r.at]:r.batch.Offsets[r.at+1]] {
		t, err := r.parse(r.batch.Dictionary.ID(int(code)))
		if err != nil {
			return 0, err
		}
		if earliest == NoTime || t < earliest {
			earliest = t
		}
	}
	return earliest, nil
}

// parse parses a text, once for each.
func (r *timeReader) parse(text []byte) (int64, error) {
	if t, ok := r.known[string(text)]; ok {
		return t, nil
	}
	written := string(text)
	if day, month, rest, is := slashed(written); is && r.days {
		written = month + "/" + day + "/" + rest
	}
	t, err := ParseTime(written)
	if err == nil && len(r.known) < most {
		r.known[string(text)] = t
	}
	return t, err
}

// end returns io.EOF, or an error if there are times without documents.
func (r *timeReader) end() error {
	if r.at < r.batch.Documents() {
		return &TimeError{Path: r.path, Reason: otherDocuments}
	}
	err := r.reader.Next(&r.batch)
	if err == nil {
		return &TimeError{Path: r.path, Reason: otherDocuments}
	}
	return err
}

// How a column writes dates with slashes.
const (
	dayFirst   = "day first"
	monthFirst = "month first"
	unclear    = "unclear, read as month first" // no number in it is above 12
)

// slashed returns the day and month, in whatever order, of a date such as 03/04/2025, and what follows them.
func slashed(text string) (first, second, rest string, is bool) {
	first, rest, _ = strings.Cut(text, "/")
	second, rest, is = strings.Cut(rest, "/")
	return first, second, rest, is && len(first) <= 2 && len(second) <= 2
}

// orderDates finds out how the column of times writes dates with slashes, by the first number above 12 in it. It reads
// the column of times only, and only if its first time is such a date; of standard input nothing. What cannot be read
// ends it: reading the documents says why.
func (r *run) orderDates(shards []shard.Shard) {
	for _, s := range shards {
		if r.o.TimeColumn == "" || s.Path == "-" {
			return
		}
		parts, _ := s.WithNames("").Parts(r.ctx)
		timed, long, _ := timeParts(r.ctx, s, r.o.TimeColumn, len(parts))
		for _, part := range timed {
			one, err := openTimes(r.ctx, part, long)
			if err != nil {
				return
			}
			more := one.order(&r.record.SlashedDates)
			if one.reader.Close(); !more {
				return
			}
		}
	}
}

// order sets how dates are written to unclear, or to what the first that is clear says, and reports whether more of
// them are needed.
func (r *timeReader) order(as *string) bool {
	for r.reader.Next(&r.batch) == nil {
		texts, n := r.batch.Names.ID, r.batch.Documents()
		if r.long {
			texts, n = r.batch.Dictionary.ID, r.batch.Dictionary.Len()
		}
		for d := range n {
			first, second, _, is := slashed(string(texts(d)))
			switch {
			case len(texts(d)) == 0:
				continue
			case !is && *as == "":
				return false
			case first > "12" && len(first) == 2:
				*as = dayFirst
				return false
			case second > "12" && len(second) == 2:
				*as = monthFirst
				return false
			}
			*as = unclear
		}
	}
	return true
}
