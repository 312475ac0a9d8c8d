package soak

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"anchorage/internal/long"
)

// workshop makes a workshop of a small corpus.
func workshop(t *testing.T) *Workshop {
	t.Helper()
	long.Test(t, "it builds the program and disturbs it for a minute")
	w, err := NewWorkshop(t.Context(), t.TempDir(), 600, 1)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestSoak is the short form of the soak: a little of every attack that runs the program.
func TestSoak(t *testing.T) {
	w := workshop(t)
	for _, a := range attacks {
		if a.name == "flip" || a.name == "cut" { // see TestDamage
			continue
		}
		if _, err := exec.LookPath("strace"); err != nil && a.name == "calls" {
			continue
		}
		for i, what := range a.targets {
			o := &Outcome{What: what, How: a.hows[i%len(a.hows)]}
			if err := a.run(w, t.Context(), o, 1); err != nil {
				t.Fatalf("%s, %s: %v", a.name, what, err)
			}
			for _, problem := range o.Problems {
				t.Errorf("%s, %s, %s: %s", a.name, what, o.How, problem)
			}
			if o.Disturbed == 0 {
				t.Errorf("%s, %s: nothing was disturbed", a.name, what)
			}
			t.Logf("%s: %+v", a.name, *o)
		}
	}
}

// TestNotices gives the soak references that are wrong, and expects another code: it must say so.
func TestNotices(t *testing.T) {
	w := workshop(t)
	one := tasks[1]
	r, err := w.reference(t.Context(), one)
	if err != nil {
		t.Fatal(err)
	}
	noticed := func(what string, do func(context.Context, task, *Outcome, int) error, how string) {
		o := &Outcome{What: one.name, How: how}
		if err := do(t.Context(), one, o, 4); err != nil || len(o.Problems) == 0 {
			t.Errorf("%s: %+v, %v", what, o, err)
		}
	}
	whole := r.new["topics.parquet"]
	r.new["topics.parquet"] = "another"
	noticed("another model after a kill", w.kill, "")
	noticed("another model after a crash", w.crash, "")
	r.new["topics.parquet"] = whole
	r.listing = append(r.listing, "something")
	noticed("another listing", w.kill, "")
	r.listing = r.listing[:len(r.listing)-1]
	code := faultKinds[1].code
	faultKinds[1].code = 1
	noticed("another code", w.fail, faultKinds[1].name)
	faultKinds[1].code = code

	unkept := kept
	defer func() { kept = unkept }()
	kept = []string{"elsewhere", "pins --replace"}
	o := &Outcome{What: "report m -o OUT"}
	if err := w.replace(t.Context(), o, 9); err != nil || len(o.Problems) != 2 {
		t.Errorf("outputs that may be: %+v, %v", o, err)
	}
	o = &Outcome{What: "convert in -o OUT --nonsense"}
	if err := w.memory(t.Context(), o, 2); err != nil || len(o.Problems) != 2 {
		t.Errorf("another code under a limit: %+v, %v", o, err)
	}
}

// TestTroubles asks for an object and a listing through the proxy in every kind of trouble.
func TestTroubles(t *testing.T) {
	answers := 0
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		answers++
		fmt.Fprintf(w, "answer %04d", answers)
	}))
	defer store.Close()
	for _, trouble := range troubles[:len(troubles)-1] {
		server := httptest.NewUnstartedServer(newProxy(store, trouble, 1, 1))
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.Start()
		ask := func(query string) (whole bool, text string) {
			response, err := http.Get(server.URL + "/data/object" + query)
			if err != nil {
				return false, ""
			}
			defer response.Body.Close()
			content, err := io.ReadAll(response.Body)
			return err == nil && response.StatusCode == http.StatusOK && len(content) == len("answer 0000"), string(content)
		}
		whole, _ := ask("")
		_, first := ask("?list-type=2")
		_, again := ask("?list-type=2")
		if want := trouble.name == "slow bodies" || trouble.name == "stale listings"; whole != want {
			t.Errorf("%s: the answer is whole: %v", trouble.name, whole)
		}
		if stale := first == again && strings.HasPrefix(first, "answer") &&
			len(first) == len("answer 0000"); stale != (trouble.name == "stale listings") {
			t.Errorf("%s: listings %q and %q", trouble.name, first, again)
		}
		server.Close()
	}
}
