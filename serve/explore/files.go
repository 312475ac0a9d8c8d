// This file hands out the page: the files of the folder web, and the look that it shares with reports.

package explore

import (
	"embed"
	"mime"
	"net/http"
	"path"
	"strings"

	"anchorage/internal/page"
	"anchorage/internal/web"
)

//go:embed web
var embedded embed.FS

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
