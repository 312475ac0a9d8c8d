// This file writes answers, and errors in their one form.

package serve

import (
	"context"
	"errors"
	"net"
	"net/http"

	"anchorage/internal/web"
)

// problem is an error that a client is told.
type problem = web.Problem

// The codes of problems. openapi.json lists them.
const (
	codeMalformed   = web.Malformed
	codeUnknownItem = web.UnknownItem
	codeTooLarge    = web.TooLarge
	codeOverloaded  = web.Overloaded
	codeTimeout     = web.Timeout
	codeNoToken     = web.NoToken
	codeForeign     = web.Foreign
	codeNotFound    = web.NotFound
	codeMethod      = web.Method
	codeInternal    = web.Internal
)

// statusGone is what proxies log for clients that did not wait; it has no official number.
const statusGone = 499

// malformed is the problem of a request that makes no sense.
func malformed(format string, args ...any) *problem {
	return web.Problemf(http.StatusBadRequest, codeMalformed, format, args...)
}

// unread returns the error of a body that did not come whole.
func unread(err error) error {
	var large *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &large):
		return err
	case errors.As(err, &network) && network.Timeout():
		return &problem{Status: http.StatusServiceUnavailable, Code: codeTimeout, Message: "the body did not come in time"}
	}
	return malformed("the body did not come whole")
}

// tooLarge is the problem of a request beyond a limit.
func tooLarge(format string, args ...any) *problem {
	return web.Problemf(http.StatusRequestEntityTooLarge, codeTooLarge, format, args...)
}

// problemOf returns the problem that an error of a handler is for its client.
func problemOf(err error) *problem {
	var known *problem
	var body *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &body):
		return tooLarge("the body is larger than %d bytes: send fewer documents", body.Limit)
	case errors.Is(err, errBusy):
		return &problem{Status: http.StatusTooManyRequests, Code: codeOverloaded, Message: "too many requests are waiting: try again later"}
	case errors.Is(err, context.Canceled): // the client has gone; only the figures see this
		return &problem{Status: statusGone, Code: codeTimeout, Message: "the client closed the connection"}
	case errors.Is(err, context.DeadlineExceeded):
		return &problem{Status: http.StatusServiceUnavailable, Code: codeTimeout, Message: "the request took too long: send fewer documents, or try again later"}
	}
	return &problem{Status: http.StatusInternalServerError, Code: codeInternal, Message: "the server failed: its log says how"}
}
