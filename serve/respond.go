// This file writes answers, and errors in their one form.

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
)

// problem is an error that a client is told.
type problem struct {
	status      int
	code        string
	message     string
	suggestions []string
}

func (p *problem) Error() string { return p.message }

// The codes of problems. openapi.json lists them.
const (
	codeMalformed   = "malformed"
	codeUnknownItem = "unknown_item"
	codeTooLarge    = "too_large"
	codeOverloaded  = "overloaded"
	codeTimeout     = "timeout"
	codeNoToken     = "no_token"
	codeNotFound    = "not_found"
	codeMethod      = "method_not_allowed"
	codeInternal    = "internal"
)

// statusGone is what proxies log for clients that did not wait; it has no official number.
const statusGone = 499

// malformed is the problem of a request that makes no sense.
func malformed(format string, args ...any) *problem {
	return &problem{status: http.StatusBadRequest, code: codeMalformed, message: fmt.Sprintf(format, args...)}
}

// unread returns the error of a body that did not come whole.
func unread(err error) error {
	var large *http.MaxBytesError
	var network net.Error
	switch {
	case errors.As(err, &large):
		return err
	case errors.As(err, &network) && network.Timeout():
		return &problem{status: http.StatusServiceUnavailable, code: codeTimeout, message: "the body did not come in time"}
	}
	return malformed("the body did not come whole")
}

// tooLarge is the problem of a request beyond a limit.
func tooLarge(format string, args ...any) *problem {
	return &problem{status: http.StatusRequestEntityTooLarge, code: codeTooLarge, message: fmt.Sprintf(format, args...)}
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
		return &problem{status: http.StatusTooManyRequests, code: codeOverloaded, message: "too many requests are waiting: try again later"}
	case errors.Is(err, context.Canceled): // the client has gone; only the figures see this
		return &problem{status: statusGone, code: codeTimeout, message: "the client closed the connection"}
	case errors.Is(err, context.DeadlineExceeded):
		return &problem{status: http.StatusServiceUnavailable, code: codeTimeout, message: "the request took too long: send fewer documents, or try again later"}
	}
	return &problem{status: http.StatusInternalServerError, code: codeInternal, message: "the server failed: its log says how"}
}

// errorBody is how an error is written.
type errorBody struct {
	Error errorText `json:"error"`
}

type errorText struct {
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	Suggestions []string `json:"suggestions,omitempty"`
}

// refuse writes a problem.
func refuse(w http.ResponseWriter, p *problem) {
	switch p.status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="anchorage"`)
	}
	answer(w, p.status, errorBody{errorText{p.code, p.message, p.suggestions}})
}

// answer writes a value as JSON. Values are made of what JSON can hold, so only the connection can fail, and then nobody listens.
func answer(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":{"code":"internal","message":"the answer is not JSON"}}`)
	}
	body = append(body, '\n')
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
