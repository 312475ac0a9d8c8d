package soak

import (
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"anchorage/internal/long"
)

// workshop makes a workshop of a small corpus.
func workshop(t *testing.T) *Workshop {
	t.Helper()
	long.Test(t, "it builds the program and disturbs it for a minute")
	w, err := NewWorkshop(t.Context(), t.TempDir(), 600, 1, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestSoak is the short form of the soak: a little of every part that runs the program.
func TestSoak(t *testing.T) {
	w := workshop(t)
	for name, enough := range map[string]int{"kill": len(tasks), "terminate": len(tasks), "fail": len(failing), "crash": len(tasks), "writers": len(racing),
		"readers": len(readings), "disk": len(failing), "store": len(remote)} {
		t.Run(name, func(t *testing.T) {
			at := slices.IndexFunc(Parts, func(p Part) bool { return p.Name == name })
			found, err := Parts[at].run(t.Context(), w, enough)
			if err != nil {
				t.Fatal(err)
			}
			disturbed := 0
			for _, o := range found {
				for _, problem := range o.Problems {
					t.Errorf("%s, %s: %s", o.What, o.How, problem)
				}
				disturbed += o.Disturbed
				t.Logf("%+v", *o)
			}
			if disturbed < enough && name != "disk" { // which needs the right to mount one
				t.Errorf("%d were disturbed, not %d", disturbed, enough)
			}
		})
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
	whole := r.new["topics.parquet"]
	r.new["topics.parquet"] = "another"
	for name, disturb := range map[string]func() (*Outcome, error){
		"kill":  func() (*Outcome, error) { return w.kill(t.Context(), one, 1) },
		"crash": func() (*Outcome, error) { return w.crash(t.Context(), one, 1) },
	} {
		if o, err := disturb(); err != nil || len(o.Problems) == 0 {
			t.Errorf("%s: another model: %+v, %v", name, o, err)
		}
	}
	r.new["topics.parquet"] = whole
	r.listing = append(r.listing, "something")
	if o, err := w.kill(t.Context(), one, 1); err != nil || len(o.Problems) == 0 {
		t.Errorf("another listing: %+v, %v", o, err)
	}
	r.listing = r.listing[:len(r.listing)-1]
	if o, err := w.fail(t.Context(), one, faultKind{"enospc", faultKinds[1].hits, 1}, 4); err != nil || len(o.Problems) == 0 {
		t.Errorf("another code: %+v, %v", o, err)
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
	address, err := url.Parse(store.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, trouble := range troubles[:len(troubles)-1] {
		server := httptest.NewUnstartedServer(newProxy(address, trouble, 1, 1))
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
		if stale := first == again && strings.HasPrefix(first, "answer") && len(first) == len("answer 0000"); stale != (trouble.name == "stale listings") {
			t.Errorf("%s: listings %q and %q", trouble.name, first, again)
		}
		server.Close()
	}
}
