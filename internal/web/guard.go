// This file refuses requests that a page of another site makes a browser send.

package web

import (
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Guard refuses foreign requests. A page of another site can reach a server of this machine in two ways: it asks
// directly, and then the browser names the page in the header Origin; or its own name leads to this machine after the
// page was loaded (DNS rebinding), and then the header Host has that name. The zero value accepts every host.
type Guard struct {
	// Hosts are the names by which the server may be asked, without ports. Requests from pages of these names are accepted
	// too.
	Hosts []string
	// Local accepts localhost and this machine's loopback addresses, and refuses names that are not among Hosts.
	Local bool
	// Origins are pages of other sites that may ask, as https://shop.example; * means all.
	Origins []string
	// Addresses accepts any number of the Internet Protocol: no name can be rebound to it.
	Addresses bool
}

// GuardOf returns the guard of a server that listens at an address. Names are further hosts by which it may be asked;
// without any, a server that other machines reach may be asked by every name.
func GuardOf(address net.Addr, names []string) Guard {
	tcp, ok := address.(*net.TCPAddr)
	if ok && tcp.IP.IsLoopback() {
		return Guard{Hosts: names, Local: true}
	}
	return Guard{Hosts: names, Local: len(names) > 0, Addresses: true}
}

// Check returns why a request is refused, or nil. Its code is Foreign.
func (g Guard) Check(r *http.Request) *Problem {
	if g.Local && !g.knows(hostname(r.Host)) {
		return Problemf(http.StatusForbidden, Foreign, "the server is not asked by the name %.100q", r.Host)
	}
	origins, ok := r.Header["Origin"]
	if ok && len(origins) == 1 && g.allows(origins[0]) {
		return nil
	}
	if ok && (len(origins) != 1 || !g.own(origins[0], r.Host)) {
		return Problemf(http.StatusForbidden, Foreign, "pages of %.100q may not ask this server", strings.Join(origins, ", "))
	}
	// Browsers say with every request whose page it comes from. A visitor may still follow a link to this server.
	site, mode := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode")
	if (site == "cross-site" || site == "same-site") && (mode != "navigate" || r.Method != http.MethodGet) {
		return Problemf(http.StatusForbidden, Foreign, "pages of other sites may not ask this server")
	}
	return nil
}

// allows reports whether an origin is one of Origins.
func (g Guard) allows(origin string) bool {
	return slices.ContainsFunc(g.Origins, func(o string) bool { return o == "*" || strings.EqualFold(o, origin) })
}

// Share lets the pages of Origins read the answer to a request that Check accepts. It reports whether the request was a
// browser's question whether they may ask (a preflight of the Fetch standard), which it answers.
func (g Guard) Share(w http.ResponseWriter, r *http.Request) (answered bool) {
	if len(g.Origins) == 0 {
		return false
	}
	h, origin := w.Header(), r.Header.Get("Origin")
	h.Add("Vary", "Origin")
	if origin == "" || !g.allows(origin) {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "X-Model, Retry-After")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}

// knows reports whether the server may be asked by a name.
func (g Guard) knows(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || g.Addresses
	}
	return host == "localhost" || slices.ContainsFunc(g.Hosts,
		func(name string) bool { return strings.EqualFold(name, host) })
}

// own reports whether an origin is the server itself, as the request names it, or a page of one of Hosts.
func (g Guard) own(origin, host string) bool {
	page, err := url.Parse(origin)
	if err != nil || page.Host == "" {
		return false
	}
	return strings.EqualFold(page.Host, host) ||
		slices.ContainsFunc(g.Hosts, func(name string) bool { return strings.EqualFold(name, page.Hostname()) })
}

// hostname returns a host without its port and a final dot, in small letters.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
}
