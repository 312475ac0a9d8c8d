// This file defines the options of a server.

package serve

import (
	"cmp"
	"log/slog"
	"time"
)

// Options are the options of a Server. The zero value is the default of each.
type Options struct {
	// Token is what a request must show as its bearer token (RFC 6750). Without one every request is answered. /healthz
	// and /readyz need none.
	Token string
	// Hosts are names by which the server may be asked, beside localhost and addresses. Without any, Serve accepts no
	// other names at a loopback address, where a foreign one is a page's attempt to reach this machine (DNS rebinding),
	// and every name elsewhere. /healthz and /readyz may be asked by every name.
	Hosts []string
	// Origins are pages of other sites that may ask, such as https://shop.example: browsers are told so (CORS). * means
	// every page.
	Origins []string
	// Watch is how often the server looks for a new model; 0 means never.
	Watch time.Duration

	MaxBody      int64 // bytes of a request's body; 0 means 8 MiB
	MaxDocuments int   // documents of a request; 0 means 1,000
	MaxItems     int   // items of a document, and results of a query; 0 means 10,000
	// requests with a body at work at the same time, and as many without; 0 means twice the number of processors
	MaxRequests int
	MaxWaiting  int           // requests that wait for their turn; 0 means 1,024, or 32 times MaxRequests if that is more
	Timeout     time.Duration // of a request, the time that it waits included; 0 means 10 seconds
	Drain       time.Duration // for requests at work when the server is told to end; 0 means 10 seconds

	// Log gets what an operator should know: models loaded and refused, and errors of the server. Nil discards it.
	Log *slog.Logger
}

// prepared returns the options with their defaults.
func (o Options) prepared(processors int) Options {
	o.MaxBody = cmp.Or(o.MaxBody, 8<<20)
	o.MaxDocuments = cmp.Or(o.MaxDocuments, 1000)
	o.MaxItems = cmp.Or(o.MaxItems, 10_000)
	o.MaxRequests = cmp.Or(o.MaxRequests, 2*processors)
	o.MaxWaiting = cmp.Or(o.MaxWaiting, max(1024, 32*o.MaxRequests))
	o.Timeout = cmp.Or(o.Timeout, 10*time.Second)
	o.Drain = cmp.Or(o.Drain, 10*time.Second)
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return o
}
