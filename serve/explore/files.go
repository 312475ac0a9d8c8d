// This file hands out the page: the files of the folder web, and the look that it shares with reports. It also opens
// the page in a browser.

package explore

import (
	"context"
	"embed"
	"html"
	"io"
	"mime"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cli/browser"

	"anchorage/internal/page"
	"anchorage/internal/web"
)

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
