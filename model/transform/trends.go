// This file adds the documents' topics up by time.

package transform

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"anchorage/internal/toplist"
	"anchorage/model"
	"anchorage/shard/tablefile"
)

// The faults of what Trends reads: no documents, or documents without times.
const (
	NoDocuments model.Fault = "no documents"
	NoTimes     model.Fault = "no times"
)

// Period is how long the documents of one row of a trend are apart at most.
type Period string

// The periods, in UTC. A week begins on Monday.
const (
	Day     Period = "day"
	Week    Period = "week"
	Month   Period = "month"
	Quarter Period = "quarter"
	Year    Period = "year"
)

// Periods are all periods.
var Periods = []Period{Day, Week, Month, Quarter, Year}

// start returns the first day of the period that a time, in microseconds since 1970, belongs to.
func (p Period) start(micros int64) time.Time {
	t := time.UnixMicro(micros).UTC()
	year, month, day := t.Date()
	switch p {
	case Week:
		day -= (int(t.Weekday()) + 6) % 7
	case Month:
		day = 1
	case Quarter:
		month, day = month-(month-1)%3, 1
	case Year:
		month, day = time.January, 1
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// Trend says how large the topics' shares were in each period.
type Trend struct {
	Period    Period
	Topics    int         // K
	Names     [][]string  // of each topic: items to read it by; may be empty
	Rows      []PeriodRow // in order of time; periods without documents are left out
	Documents int64       // with a time
	Earliest  time.Time   // of a document
	Latest    time.Time
	Timeless  int64 // documents without a time
}

// PeriodRow is one period.
type PeriodRow struct {
	Start     time.Time // 0 hours UTC of the first day
	Documents int64
	Shares    []float64 // K: the mean of the documents' mixtures; they sum to 1
	Errors    []float64 // K: standard errors of the shares; see Trends
}

// normal is how many standard errors an interval is wide on each side.
const normal = 1.959963984540054

// Interval returns the 95 % interval of a topic's share: the share plus and minus 1.96 standard errors, within 0 and 1.
func (r *PeriodRow) Interval(topic int) (low, high float64) {
	return max(r.Shares[topic]-normal*r.Errors[topic], 0), min(r.Shares[topic]+normal*r.Errors[topic], 1)
}

// sums adds up the documents of a period.
type sums struct {
	documents             int64
	total, squares, inner []float64 // K: Σ θ, Σ θ², Σ of the posterior variances of θ
}

// Trends adds up the documents of a directory that Write has made, or of a model with documents, by period. Documents
// of equal weight make up a period. The standard error of a share is √(v/n) for n documents, where v is the variance of
// the documents' true shares: the variance of their posterior means plus the mean of their posterior variances. Those
// of topic k follow from the deviation of the top topic t, θ_k(1−θ_k)·deviation²/(θ_t(1−θ_t)). Where n is 1 the first
// part is 0. Posterior means are drawn towards the prior, and so are the shares of periods whose documents are short.
// Memory is 3·K values for each period. The error is a *model.InputError for a directory without times, or a
// *shard.Error.
func Trends(ctx context.Context, path string, by Period) (*Trend, error) {
	from, err := openStored(ctx, path)
	if e := new(model.InputError); errors.As(err, &e) && e.Fault == "" {
		e.Fault = NoDocuments
	}
	if err != nil {
		return nil, err
	}
	if from.TimeColumn == "" {
		return nil, &model.InputError{Path: path, Fault: NoTimes, Reason: "has no times of documents"}
	}
	k := from.Topics
	t := &Trend{Period: by, Topics: k, Names: from.Names}
	earliest, latest := int64(math.MaxInt64), int64(math.MinInt64)
	periods := make(map[time.Time]*sums)
	files, err := from.tables(ctx)
	if err != nil {
		return nil, err
	}
	fields := []tablefile.Field{{Name: columnMixture, Type: tablefile.Float32List, Width: k},
		{Name: columnTop, Type: tablefile.Int32}, {Name: columnDeviation, Type: tablefile.Float32},
		{Name: columnTime, Type: tablefile.Int64}}
	for _, file := range files {
		err := tablefile.Read(ctx, file, fields, func(first int64, columns []any) error {
			mixtures, tops, deviations := columns[0].([]float32), columns[1].([]int32), columns[2].([]float32)
			for d, micros := range columns[3].([]int64) {
				if micros == NoTime {
					t.Timeless++
					continue
				}
				if tops[d] < 0 || int(tops[d]) >= k {
					return &model.InputError{Path: file, Reason: fmt.Sprintf("has topic %d in row %d, but there are only %d topics",
						tops[d], first+int64(d)+1, k)}
				}
				earliest, latest = min(earliest, micros), max(latest, micros)
				start := by.start(micros)
				if periods[start] == nil {
					periods[start] = &sums{total: make([]float64, k), squares: make([]float64, k), inner: make([]float64, k)}
				}
				periods[start].add(mixtures[d*k:][:k], int(tops[d]), float64(deviations[d]))
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	for start, s := range periods {
		t.Rows = append(t.Rows, s.row(start))
		t.Documents += s.documents
	}
	slices.SortFunc(t.Rows, func(a, b PeriodRow) int { return a.Start.Compare(b.Start) })
	t.Earliest, t.Latest = time.UnixMicro(earliest).UTC(), time.UnixMicro(latest).UTC()
	return t, nil
}

// Partial reports whether the documents begin after the first tenth of the first period, and whether they end before
// the last tenth of the last one.
func (t *Trend) Partial() (first, last bool) {
	if len(t.Rows) == 0 {
		return false, false
	}
	within := func(start, at time.Time) float64 {
		days := map[Period]int{Day: 1, Week: 7, Month: 31, Quarter: 92, Year: 366}
		next := t.Period.start(start.AddDate(0, 0, days[t.Period]).UnixMicro())
		return float64(at.Sub(start)) / float64(next.Sub(start))
	}
	return within(t.Rows[0].Start, t.Earliest) > 0.1, within(t.Rows[len(t.Rows)-1].Start, t.Latest) < 0.9
}

// add adds a document.
func (s *sums) add(mixture []float32, top int, deviation float64) {
	s.documents++
	m := float64(mixture[top])
	scale := 0.0
	if m > 0 && m < 1 {
		scale = deviation * deviation / (m * (1 - m))
	}
	for k, share := range mixture {
		v := float64(share)
		s.total[k] += v
		s.squares[k] += v * v
		s.inner[k] += scale * v * (1 - v)
	}
}

// row returns the means and their errors.
func (s *sums) row(start time.Time) PeriodRow {
	n := float64(s.documents)
	row := PeriodRow{Start: start, Documents: s.documents, Shares: make([]float64, len(s.total)),
		Errors: make([]float64, len(s.total))}
	for k, total := range s.total {
		mean := total / n
		between := max(s.squares[k]-n*mean*mean, 0) / max(n-1, 1)
		row.Shares[k], row.Errors[k] = mean, math.Sqrt((between+s.inner[k]/n)/n)
	}
	return row
}

// WriteTable writes the trend as a Parquet table: a row per period and topic, periods in order of time, with the
// columns period (the first day, as 2024-05-31), documents, topic, share, low and high.
func (t *Trend) WriteTable(w io.Writer) error {
	var periods []string
	var documents []int64
	var topics []int32
	var shares, lows, highs []float64
	for i := range t.Rows {
		row := &t.Rows[i]
		for k, share := range row.Shares {
			low, high := row.Interval(k)
			periods, documents, topics = append(periods, row.Start.Format(time.DateOnly)), append(documents, row.Documents),
				append(topics, int32(k))
			shares, lows, highs = append(shares, share), append(lows, low), append(highs, high)
		}
	}
	return tablefile.WriteTable(w, []tablefile.Field{{Name: "period", Type: tablefile.String},
		{Name: "documents", Type: tablefile.Int64}, {Name: "topic", Type: tablefile.Int32},
		{Name: "share", Type: tablefile.Float64}, {Name: "low", Type: tablefile.Float64},
		{Name: "high", Type: tablefile.Float64}}, len(periods), max(len(periods), 1), func(int, int) ([]any, error) {
		return []any{periods, documents, topics, shares, lows, highs}, nil
	})
}

// Movers returns the topics whose shares changed most, at most count of them: those whose greatest and least shares
// differ most, in units of the mean standard error, first.
func (t *Trend) Movers(count int) []int {
	moves := make([]float64, t.Topics)
	for k := range moves {
		least, greatest, sum := math.Inf(1), math.Inf(-1), 0.0
		for i := range t.Rows {
			least, greatest = min(least, t.Rows[i].Shares[k]), max(greatest, t.Rows[i].Shares[k])
			sum += t.Rows[i].Errors[k]
		}
		if sum > 0 {
			moves[k] = (greatest - least) / (sum / float64(len(t.Rows)))
		}
	}
	return toplist.Order(moves)[:min(count, len(moves))]
}
