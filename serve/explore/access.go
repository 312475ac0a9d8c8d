// This file decides which requests are answered: those with the token, by a name of this machine, from a page of this
// server.

package explore

import (
	"fmt"
	"net"
	"net/http"
	"strings"

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
