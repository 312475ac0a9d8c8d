package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// There is a line a minute, with the time that is left where the total is known. The clock is the test's.
func TestPace(t *testing.T) {
	var out bytes.Buffer
	clock := time.Unix(1000, 0)
	log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
			return slog.Attr{}
		}
		return a
	}}))
	p := &pace{log: log, now: func() time.Time { return clock }}
	at := func(seconds int, stage string, done, total int64) {
		clock = time.Unix(1000+int64(seconds), 0)
		p.update(stage, done, total)
	}
	at(0, "reading", 0, 1000)
	at(59, "reading", 100, 1000)
	at(60, "reading", 250, 1000)  // the first line
	at(119, "reading", 300, 1000) // less than a minute after it
	at(130, "reading", 500, 1000) // the second
	at(150, "sketching", 0, 0)
	at(189, "sketching", 7, 0)
	at(195, "sketching", 9, 0) // the third: the total is unknown
	at(196, "sketching", 0, 0) // another pass begins
	at(256, "solving", 0, 40)  // the fourth: nothing is done, so what is left is unknown
	at(257, "solving", 1, 40)
	var none *pace
	none.update("reading", 1, 2)
	want := `msg=progress stage=reading seconds=60 done=250 of=1000 seconds_left=180 unit=bytes
msg=progress stage=reading seconds=130 done=500 of=1000 seconds_left=130 unit=bytes
msg=progress stage=sketching seconds=45 done=9 unit=documents
msg=progress stage=solving seconds=0 done=0 of=40 unit=products
`
	if out.String() != want {
		t.Errorf("the log is\n%swant\n%s", out.String(), strings.TrimSpace(want))
	}
}
