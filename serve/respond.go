// This file writes answers, and errors in their one form.

package serve

import (
	"context"
	"errors"
	"net"
	"net/http"

	"anchorage/internal/web"
)

// statusGone is what proxies log for clients that did not wait; it has no official number.
const statusGone = 499

// unread returns the error of a body that did not come whole.
func unread(err error) error {
	var large *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &large):
		return err
	case errors.As(err, &network) && network.Timeout():
		return web.Problemf(http.StatusServiceUnavailable, web.Timeout, "the body did not come in time")
	}
	return web.Wrong("the body did not come whole")
}

// tooLarge is the problem of a request beyond a limit.
func tooLarge(format string, args ...any) *web.Problem {
	return web.Problemf(http.StatusRequestEntityTooLarge, web.TooLarge, format, args...)
}

// problemOf returns the problem that an error of a handler is for its client.
func problemOf(err error) *web.Problem {
	var known *web.Problem
	var body *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &body):
		return tooLarge("the body is larger than %d bytes: send fewer documents", body.Limit)
	case errors.Is(err, context.Canceled): // the client has gone; only the figures see this
		return web.Problemf(statusGone, web.Timeout, "the client closed the connection")
	case errors.Is(err, context.DeadlineExceeded):
		return web.Problemf(http.StatusServiceUnavailable, web.Timeout,
			"the request took too long: send fewer documents, or try again later")
	}
	return web.Problemf(http.StatusInternalServerError, web.Internal, "the server failed: its log says how")
}
