// This file is the page for people who open the server's address in a browser.

package serve

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"

	"github.com/dustin/go-humanize"

	"anchorage/internal/safetext"
	"anchorage/internal/web"
)

//go:embed front.html
var frontText string

// frontPage lists what the server answers and, where that needs no token, the topics.
var frontPage = template.Must(template.New("front").Funcs(template.FuncMap{"safe": safetext.Text,
	"comma":   humanize.Comma,
	"percent": func(share float64) string { return humanize.FormatFloat("#.#", 100*share) + " %" }}).Parse(frontText))

// frontTopics is how many topics the page shows, with frontItems items each.
const frontTopics, frontItems = 200, 8

// front answers with the page.
func (s *Server) front(from *loaded, r *http.Request) (any, error) {
	page := struct {
		Model  *modelBody
		Routes []route
		Topics []topicBody
	}{}
	for _, known := range s.table(nil) {
		if known.Path != "/{$}" {
			page.Routes = append(page.Routes, known)
		}
	}
	if s.opts.Token == "" || web.Token(s.opts.Token).Borne(r) {
		about := from.about()
		page.Model = &about
		for k := range min(int(about.Topics), frontTopics) {
			page.Topics = append(page.Topics, from.topic(k, frontItems))
		}
	}
	var text bytes.Buffer
	if err := frontPage.Execute(&text, page); err != nil {
		return nil, err
	}
	return web.Text(text.String(), "Content-Type", "text/html; charset=utf-8", "Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"), nil
}
