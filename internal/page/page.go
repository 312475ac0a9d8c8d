// This file has the shell of a page: its head, its policy and its frame.

package page

import (
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"io"
	"strings"
)

// Page is a page of HTML that loads nothing.
type Page struct {
	Title    string
	Subtitle string
	// Sections are what the page shows, in their order.
	Sections []Section
	Footer   string
}

// Section is a part of a page with a heading. The contents of the page link to it.
type Section struct {
	ID, Title string
	Short     string // in the contents; Title if empty
	Body      template.HTML
}

// Link is the name of the section in the contents.
func (s Section) Link() string {
	if s.Short != "" {
		return s.Short
	}
	return s.Title
}

// policy is the content security policy of pages, whose style and script are known by their hashes. Nothing else runs,
// nothing is loaded, and nothing is sent.
var policy = "default-src 'none'; style-src " + hash(Style) + "; script-src " + hash(Script) +
	"; base-uri 'none'; form-action 'none'"

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

var shell = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{{.Policy}}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>{{.Page.Title}}</title>
{{.Styles}}
{{.Scripts}}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="top"><div><h1>{{.Page.Title}}</h1>{{with .Page.Subtitle}}<p class="muted">{{.}}</p>{{end}}</div></header>
<nav class="contents" aria-label="Contents"><div>{{range .Page.Sections}}<a href="#{{.ID}}">{{.Link}}</a>
{{end}}<span class="tools"><button type="button" data-theme-switch hidden aria-label="Switch between light and dark">Dark</button></span></div></nav>
<main id="main" tabindex="-1">
{{range .Page.Sections}}<section id="{{.ID}}" aria-labelledby="{{.ID}}-heading"><h2 id="{{.ID}}-heading">{{.Title}}</h2>
{{.Body}}
</section>
{{end}}</main>
{{with .Page.Footer}}<footer>{{.}}</footer>
{{end}}</body>
</html>
`))

// Write writes the page.
func (p *Page) Write(w io.Writer) error {
	return shell.Execute(w, struct {
		Page            *Page
		Policy          string
		Styles, Scripts template.HTML
	}{p, policy, template.HTML("<style>" + Style + "</style>"), template.HTML("<script>" + Script + "</script>")})
}

// Render executes a template of a page's body. Templates belong to programs, so an error is a programmer's and panics.
func Render(t *template.Template, data any) template.HTML {
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		panic("page: " + err.Error())
	}
	return template.HTML(b.String())
}
