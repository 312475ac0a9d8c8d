package shard

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"anchorage/shard/documents"
	"anchorage/shard/fault"
	"anchorage/shard/internal/access"
	"anchorage/shard/internal/bag"
	"anchorage/shard/internal/reading"
)

// script is a reader below this package that does what a test wants.
type script struct {
	next  func(batch *documents.Batch) error
	close error
}

func (s script) Next(batch *documents.Batch) error { return s.next(batch) }
func (s script) Close() error                      { return s.close }

// scripted returns a part that a script reads.
func scripted(s script) Part {
	return Part{Shard: Shard{Path: "x"}, part: reading.Part{Open: func(*access.Watch) (reading.Reader,
		error) {
		return s, nil
	}}}
}

// TestReaderErrors checks what becomes of the errors and panics of readers.
func TestReaderErrors(t *testing.T) {
	plain := errors.New("plain")
	for name, test := range map[string]struct {
		err  error
		want string // "" for the error itself
	}{
		"end": {io.EOF, ""},
		"place": {&fault.Error{Path: "y", Row: 3, Group: 2, Column: "c", Err: plain},
			`y, row group 2, column "c", row 3: plain`},
		"plain":     {plain, "x: plain"},
		"ours":      {&Error{Path: "z", Err: plain}, "z: plain"},
		"panicking": {nil, "x: the decoder gave up on malformed data (boom)"},
	} {
		t.Run(name, func(t *testing.T) {
			reader, err := Open(context.Background(), scripted(script{next: func(*documents.Batch) error {
				if test.err == nil {
					panic("boom")
				}
				return test.err
			}}))
			if err != nil {
				t.Fatal(err)
			}
			err = reader.Next(new(Batch))
			if test.want == "" {
				if err != test.err {
					t.Errorf("got %v", err)
				}
				return
			}
			wantError(t, err, "", test.want)
			if reason := err.(*Error).Reason(); (reason == fault.DecoderFailed) != (test.err == nil) {
				t.Errorf("reason %d", reason)
			}
		})
	}
}

// TestBatchIsLent checks that readers fill the memory of the caller's batch, and that a failed batch gives it back.
func TestBatchIsLent(t *testing.T) {
	fail := false
	reader, err := Open(context.Background(), scripted(script{next: func(b *documents.Batch) error {
		builder := bag.NewBuilder(0, true)
		builder.Begin(b, 7)
		code, err := builder.CodeOfBytes([]byte("item"))
		if err == nil {
			err = errors.Join(builder.Add(code, 5), builder.SetName([]byte("name")))
		}
		builder.EndDocument()
		builder.Finish()
		if fail {
			return errors.New("afterwards")
		}
		return err
	}}))
	if err != nil {
		t.Fatal(err)
	}
	items := make([]int32, 0, 100)
	batch := Batch{Items: items}
	for _, fail = range []bool{false, true} {
		if err := reader.Next(&batch); (err != nil) != fail {
			t.Fatal(err)
		}
		if batch.FirstRow != 7 || batch.Documents() != 1 || batch.Counts[0] != 5 ||
			string(batch.Dictionary.ID(0)) != "item" || string(batch.Names.ID(0)) != "name" {
			t.Errorf("the batch is %+v", batch)
		}
		if &batch.Items[0] != &items[:1][0] {
			t.Error("the batch has other memory than it was given")
		}
	}
}

// TestClose passes the error of closing on.
func TestClose(t *testing.T) {
	reader, err := Open(context.Background(), scripted(script{close: &fault.Error{Path: "x", Err: io.ErrClosedPipe}}))
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Close(); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("got %v", err)
	}
}

// TestMisuse checks that a shard or a part made by hand, which is a bug of the caller, panics.
func TestMisuse(t *testing.T) {
	for name, fn := range map[string]func(){
		"shard": func() { Shard{}.Parts(context.Background()) },
		"part":  func() { Open(context.Background(), Part{}) },
	} {
		func() {
			defer func() {
				if _, ok := recover().(string); !ok {
					t.Errorf("%s: no panic", name)
				}
			}()
			fn()
		}()
	}
}

// TestPartsCancelled wants the context's own error, not one about the file.
func TestPartsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	path := writeDocuments(t, filepath.Join(t.TempDir(), "x.parquet"), []pairs{{{"a", 1}}})
	shards, err := Discover(ctx, []string{path}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := shards[0].Parts(ctx); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}
