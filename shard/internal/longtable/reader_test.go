package longtable

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
	"anchorage/shard/internal/sorter"
)

// rows is a Source in memory.
type rows struct {
	rows   []Row
	at     int
	err    error // after the last row, in place of io.EOF
	closed int
}

func (r *rows) Next(row *Row) error {
	if r.at == len(r.rows) {
		row.Place = fault.Error{Row: int64(r.at + 1), Column: "late"}
		if r.err != nil {
			return r.err
		}
		return io.EOF
	}
	*row = r.rows[r.at]
	r.at++
	row.Place = fault.Error{Row: int64(r.at), Column: "items"}
	return nil
}

func (r *rows) Close() error { r.closed++; return nil }

// row makes a row of texts; ids of digits are given as numbers if numbers is set.
func row(document, item string, count int32, numbers bool) Row {
	r := Row{Document: []byte(document), Item: []byte(item), Count: count}
	if value, ok := bag.CanonicalNumber(r.Document); ok && numbers {
		r.Document, r.DocumentNumber = nil, value
	}
	if value, ok := bag.CanonicalNumber(r.Item); ok && numbers {
		r.Item, r.ItemNumber = nil, value
	}
	return r
}

// read returns the documents of a table as "name: item×count item×count".
func read(t *testing.T, in reading.Shard, source Source) (read []string, err error) {
	t.Helper()
	r := New(access.NewWatch(context.Background()), in, in.Builder(), source)
	defer r.Close()
	var batch documents.Batch
	for {
		if err := r.Next(&batch); err == io.EOF {
			return read, nil
		} else if err != nil {
			return read, err
		}
		if batch.Documents() == 0 || batch.FirstRow != int64(len(read)) {
			t.Fatalf("a batch of %d documents begins with %d after %d", batch.Documents(), batch.FirstRow, len(read))
		}
		for d := range batch.Documents() {
			var text strings.Builder
			if in.Names {
				text.WriteString(string(batch.Names.ID(d)))
			}
			text.WriteString(":")
			for i := batch.Offsets[d]; i < batch.Offsets[d+1]; i++ {
				fmt.Fprintf(&text, " %s×%d", batch.Dictionary.ID(int(batch.Items[i])), batch.Counts[i])
			}
			read = append(read, text.String())
		}
	}
}

// TestDocuments reads tables with every batch size; ids are text or numbers.
func TestDocuments(t *testing.T) {
	for name, test := range map[string]struct {
		rows [][3]any
		want []string
	}{
		"none": {nil, nil},
		"one":  {[][3]any{{"a", "x", 1}}, []string{"a: x×1"}},
		"sums": {[][3]any{{"a", "x", 1}, {"a", "y", 2}, {"a", "x", 3}}, []string{"a: x×4 y×2"}},
		"several": {[][3]any{{"a", "x", 1}, {"b", "x", 1}, {"b", "z", 9}, {"c", "z", 1}}, []string{"a: x×1",
			"b: x×1 z×9", "c: z×1"}},
		"not in order": {[][3]any{{"c", "x", 1}, {"a", "x", 1}, {"b", "x", 1}}, []string{"c: x×1", "a: x×1", "b: x×1"}},
		"numbers":      {[][3]any{{"10", "7", 1}, {"9", "-3", 2}, {"9", "7", 1}}, []string{"10: 7×1", "9: -3×2 7×1"}},
		"odd numbers": {[][3]any{{"007", "x", 1}, {"7", "x", 1}, {"7.0", "x", 1}}, []string{"007: x×1",
			"7: x×1", "7.0: x×1"}},
		"mixed numbers": {[][3]any{{"-1", "a", 1}, {"x", "1", 1}}, []string{"-1: a×1", "x: 1×1"}},
	} {
		for _, numbers := range []bool{false, true} {
			for _, size := range []int{1, 2, 3, 0} {
				t.Run(fmt.Sprint(name, " ", numbers, " ", size), func(t *testing.T) {
					source := new(rows)
					for _, r := range test.rows {
						source.rows = append(source.rows, row(r[0].(string), r[1].(string), int32(r[2].(int)), numbers))
					}
					got, err := read(t, reading.Shard{Options: reading.Options{Names: true, BatchEntries: size}}, source)
					if err != nil || !slices.Equal(got, test.want) {
						t.Errorf("got %q, %v; want %q", got, err, test.want)
					}
					if source.closed == 0 {
						t.Error("the source was not closed")
					}
				})
			}
		}
	}
}

// TestGrouped scatters rows: sorted, they give the documents in the order of their ids, in memory and on disk.
func TestGrouped(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var scattered []Row
	items := make(map[int][]string)
	for i := range 30_000 {
		d := random.IntN(400) - 20
		item := fmt.Sprint("item ", random.IntN(50), strings.Repeat("x", 60))
		scattered = append(scattered, row(fmt.Sprint(d), item, int32(1+i%3), i%2 == 0))
		if !slices.Contains(items[d], item) {
			items[d] = append(items[d], item)
		}
	}
	for _, memory := range []int64{0, sorter.MinMemory} {
		dir := t.TempDir()
		in := reading.Shard{Options: reading.Options{Names: true, Group: true, BatchEntries: 100,
			Sort: sorter.Options{Memory: memory, Dir: dir}}}
		source := &rows{rows: scattered}
		got, err := read(t, in, source)
		if err != nil || len(got) != len(items) {
			t.Fatalf("%d documents, want %d, %v", len(got), len(items), err)
		}
		at := 0
		for d := -20; d < 380; d++ {
			if items[d] == nil {
				continue
			}
			name, rest, _ := strings.Cut(got[at], ":")
			order := strings.Split(strings.TrimSpace(rest), "×")
			if name != fmt.Sprint(d) || len(order)-1 != len(items[d]) || !strings.HasSuffix(order[0], items[d][0]) {
				t.Fatalf("document %d is %.80q, want %d items, the first %q", d, got[at], len(items[d]), items[d][0])
			}
			at++
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || source.closed != 1 {
			t.Errorf("left behind: %v, %v; closed %d times", left, err, source.closed)
		}
	}
}

// TestErrors checks what is said about bad rows, and where.
func TestErrors(t *testing.T) {
	good := row("a", "x", 1, false)
	for name, test := range map[string]struct {
		rows   []Row
		err    error
		group  bool
		want   string
		reason fault.Reason
	}{
		"comes again": {[]Row{good, row("b", "x", 1, false), good}, nil, false,
			`t.csv, column "items", row 3: document "a" comes again after others: its rows must be adjacent`, fault.Scattered},
		"number again": {[]Row{row("2", "x", 1, true), row("1", "x", 1, true), row("2", "x", 1, false)}, nil, false,
			`row 3: document "2" comes again`, fault.Scattered},
		"empty id":           {[]Row{good, row("", "y", 1, false)}, nil, false, `row 2: the document's id is empty`, 0},
		"empty id, grouped":  {[]Row{good, row("", "y", 1, false)}, nil, true, `row 2: the document's id is empty`, 0},
		"empty item":         {[]Row{row("a", "", 1, false)}, nil, false, `row 1: an item id is empty`, 0},
		"empty item, sorted": {[]Row{good, row("a", "", 1, false)}, nil, true, `row 2: an item id is empty`, 0},
		"sum": {[]Row{row("a", "x", documents.MaxCount, false), good}, nil, false,
			`row 2: the counts of item "x" add up`, 0},
		"long id": {[]Row{row(strings.Repeat("x", bag.MaxItemBytes+1), "a", 1, false)}, nil, true,
			`row 1: an id has more than 65536 bytes`, 0},
		"long name": {[]Row{row(strings.Repeat("x", bag.MaxItemBytes+1), "a", 1, false)}, nil, false,
			`row 1: the name of a document has 65537 bytes`, 0},
		"source":          {[]Row{good}, errors.New("it broke"), false, `t.csv, column "late", row 2: it broke`, 0},
		"source, grouped": {[]Row{good}, errors.New("it broke"), true, `row 2: it broke`, 0},
		"source says where": {[]Row{good}, &fault.Error{Row: 77, Err: errors.New("there")}, false,
			`t.csv, row 77: there`, 0},
		"source says all": {[]Row{good}, &fault.Error{Path: "u", Row: 77, Err: errors.New("there")}, false,
			`u, row 77: there`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			in := reading.Shard{Object: access.Object{Path: "t.csv"}, Options: reading.Options{Group: test.group, Names: true}}
			_, err := read(t, in, &rows{rows: test.rows, err: test.err})
			var place *fault.Error
			if !errors.As(err, &place) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if got := fault.ReasonOf(err); got != test.reason {
				t.Errorf("reason %d, want %d", got, test.reason)
			}
		})
	}
}

// TestBadRows leaves out rows without an id, and items whose count is 0: the documents are those of the other rows, in
// their order or grouped.
func TestBadRows(t *testing.T) {
	table := []Row{row("a", "x", 1, false), row("", "y", 1, false), row("a", "", 1, false), row("a", "z", 0, false),
		row("a", "y", 2, false),
		row("b", "q", 0, false)}
	for _, group := range []bool{false, true} {
		in := reading.Shard{Object: access.Object{Path: "t.csv"}, Options: reading.Options{Group: group,
			Names: true, MaxBad: 2}}
		got, err := read(t, in, &rows{rows: table})
		if want := []string{"a: x×1 y×2", "b:"}; err != nil || !slices.Equal(got, want) {
			t.Errorf("grouped %v: got %q, %v; want %q", group, got, err, want)
		}
		in.MaxBad = 1
		if _, err := read(t, in, &rows{rows: table}); fault.ReasonOf(err) != fault.BadRows || !strings.Contains(err.Error(),
			"1 bad rows before it") {
			t.Errorf("grouped %v: with one bad row: %v", group, err)
		}
	}
}

// TestTooLittleMemory asks for a sort in less memory than it needs.
func TestTooLittleMemory(t *testing.T) {
	in := reading.Shard{Options: reading.Options{Group: true, Sort: sorter.Options{Memory: 1}}}
	if _, err := read(t, in, new(rows)); fault.ReasonOf(err) != fault.SortMemory {
		t.Errorf("got %v", err)
	}
}

// TestCancelled ends the context while a long document is read, and before a batch.
func TestCancelled(t *testing.T) {
	for _, group := range []bool{false, true} {
		ctx, cancel := context.WithCancel(context.Background())
		source := &rows{rows: slices.Repeat([]Row{row("a", "x", 1, false)}, 20_000)}
		in := reading.Shard{Options: reading.Options{Group: group}}
		r := New(access.NewWatch(ctx), in, in.Builder(), cancelAt{source, cancel, 100})
		var batch documents.Batch
		if err := r.Next(&batch); err != context.Canceled {
			t.Errorf("grouped %v: %v", group, err)
		}
		if source.at > 3*4096 {
			t.Errorf("grouped %v: %d rows were read after the end", group, source.at)
		}
		if err := r.Next(&batch); err != context.Canceled {
			t.Errorf("grouped %v, again: %v", group, err)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
}

// cancelAt is a source that cancels a context on the way.
type cancelAt struct {
	*rows
	cancel func()
	at     int
}

func (c cancelAt) Next(row *Row) error {
	if c.rows.at == c.at {
		c.cancel()
	}
	return c.rows.Next(row)
}

// TestTakeRowErrors holds keys and payloads that no row has.
func TestTakeRowErrors(t *testing.T) {
	good := row("a", "x", 1, false)
	key, payload := Key(nil, good.Document, 0), AppendRow(nil, &good)
	for name, test := range map[string][2][]byte{
		"no key":        {nil, payload},
		"other kind":    {{9, 'a'}, payload},
		"short number":  {{numberKey, 1, 2}, payload},
		"no payload":    {key, nil},
		"count only":    {key, {1}},
		"no item":       {key, {1, 1}},
		"half a number": {key, {1, 1, numberKey, 0x80}},
		"endless count": {key, slices.Repeat([]byte{0xff}, 11)},
	} {
		var r Row
		if err := TakeRow(&r, test[0], test[1]); err != errSortedRow {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestRowRoundTrip keeps all that is needed of a row.
func TestRowRoundTrip(t *testing.T) {
	for _, want := range []Row{row("a", "x", 1, false), row("-9000000000", "12", documents.MaxCount, true),
		row("日本語", "-0", 7,
			true), row("01", "", 2, true)} {
		want.Place.Row = 1 << 40
		var got Row
		if err := TakeRow(&got, Key(nil, want.Document, want.DocumentNumber), AppendRow(nil, &want)); err != nil {
			t.Fatal(err)
		}
		if string(IDText(got.Document, got.DocumentNumber)) != string(IDText(want.Document, want.DocumentNumber)) ||
			string(IDText(got.Item, got.ItemNumber)) != string(IDText(want.Item, want.ItemNumber)) || got.Count != want.Count ||
			got.Place.Row != want.Place.Row {
			t.Errorf("%v became %v", want, got)
		}
	}
}
