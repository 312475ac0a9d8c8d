// This file decides which requests are answered: those with the token, by a name of this machine, from a page of this
// server. It hands out the page: the files of the folder web, and the look that it shares with reports. It also opens
// the page in a browser.

package explore

import (
	"context"
	"embed"
	"fmt"
	"html"
	"io"
	"mime"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cli/browser"

	"anchorage/internal/page"
	"anchorage/internal/web"
)

// policy lets the page load what this server has, and nothing else. No other page may show it in a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// cookieName is the name of the cookie that holds the token. Browsers share cookies among the ports of a host, so it
// has the port.
func (s *Server) cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "80"
	}
	return "anchorage-explore-" + port
}

// admitted reports whether a request shows the token, as its cookie or as its bearer token (RFC 6750).
func (s *Server) admitted(r *http.Request) bool {
	if s.token.Borne(r) {
		return true
	}
	cookie, err := r.Cookie(s.cookieName(r))
	return err == nil && s.token.Is(cookie.Value)
}

// secured sets the headers of every answer, and passes on the requests that may be answered: to the page, or to package
// serve's server, which has the questions of the page beside its own. A request that changes something must say that it
// is JSON, which no form of another page can.
func (s *Server) secured(guard web.Guard) http.Handler {
	next, api := http.NewServeMux(), s.api.Handler()
	next.Handle("/", http.HandlerFunc(files))
	for _, path := range []string{"/v1/", "/api/", "/report"} {
		next.Handle(path, api)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if p := guard.Check(r); p != nil {
			web.Refuse(w, p)
			return
		}
		// The address that the program prints is answered with the page, and with a cookie in place of the token. The browser
		// is not sent on to an address without the token, because one that comes from elsewhere would go there without the
		// cookie; the page itself takes the token out of the address and the history.
		if r.URL.Path == "/" && r.Method == http.MethodGet && s.token.Is(r.URL.Query().Get("token")) {
			http.SetCookie(w, &http.Cookie{Name: s.cookieName(r), Value: string(s.token), Path: "/", HttpOnly: true,
				SameSite: http.SameSiteStrictMode})
			next.ServeHTTP(w, r)
			return
		}
		if !s.admitted(r) {
			s.refuseStranger(w, r)
			return
		}
		if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); r.Method == http.MethodPost &&
			kind != "application/json" {
			web.Refuse(w, web.Problemf(http.StatusUnsupportedMediaType, web.Malformed, "the body must be application/json"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuseStranger answers a request without the token: a person who opened the page without it, or a program.
func (s *Server) refuseStranger(w http.ResponseWriter, r *http.Request) {
	const says = "open the address that anchorage explore printed: it has the token that this page needs"
	if r.URL.Path != "/" {
		web.Refuse(w, web.Problemf(http.StatusUnauthorized, web.NoToken, "the request has no valid token: %s", says))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(http.StatusUnauthorized)
	fmt.Fprintln(w, "Please "+says+".")
}

//go:embed web
var embedded embed.FS

// missing leads back from a path where there is nothing.
const missing = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Nothing here – Anchorage</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="stylesheet" href="/page.css">
<main><section><h1>There is nothing here</h1><p><a href="/">All topics</a></p></section></main></html>`

// files answers with a file of the page. The style and the script of all pages come first in explore.css and page.js.
func files(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		web.Refuse(w, web.Problemf(http.StatusMethodNotAllowed, web.Method, "this path takes GET"))
		return
	}
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if name == "" {
		name = "index.html"
	}
	text, err := embedded.ReadFile("web/" + name)
	switch {
	case name == "page.css":
		text, err = []byte(page.Style), nil
	case name == "page.js":
		text, err = []byte(page.Script), nil
	}
	if err != nil && strings.Contains(r.Header.Get("Accept"), "text/html") { // a person
		w.Header().Set("Content-Type", contentType(".html"))
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, missing)
		return
	}
	if err != nil {
		web.Refuse(w, web.Problemf(http.StatusNotFound, web.NotFound, "there is nothing at this path"))
		return
	}
	w.Header().Set("Content-Type", contentType(name))
	_, _ = w.Write(text)
}

// contentType returns the type of a file of the page. Those of JavaScript and CSS do not depend on the machine.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// browse opens an address in a browser; where that fails, the log says so. The arguments of programs are seen by
// everybody on a machine, so the browser is not told the address with its token, but a file that only its owner can
// read and that leads there. The file is removed when ctx ends.
func (s *Server) browse(ctx context.Context, url string) {
	folder, err := os.MkdirTemp("", "anchorage-explore-*")
	if err == nil {
		defer os.RemoveAll(folder)
		address, file := html.EscapeString(url), filepath.Join(folder, "open.html")
		err = os.WriteFile(file, []byte(`<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=`+
			address+`"><title>Anchorage</title><a href="`+address+`">Anchorage</a>`), 0o600)
		if err == nil {
			err = openFile(file)
		}
	}
	if err != nil {
		s.opts.Log.Info("no browser was opened: open the address yourself", "reason", err)
	}
	<-ctx.Done()
}

// openFile opens a file in the system's browser, outside tests.
var openFile = func(file string) error {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	return browser.OpenFile(file)
}
