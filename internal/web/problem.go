// This file gives answers and errors their form.

package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// Problem is a request that cannot be answered, and why.
type Problem struct {
	Status      int      `json:"-"`
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	Suggestions []string `json:"suggestions,omitempty"`
}

func (p *Problem) Error() string { return p.Message }

// The codes of problems.
const (
	Malformed   = "malformed"
	UnknownItem = "unknown_item"
	NoneKnown   = "none_known" // no item of a request is in the model
	TooLarge    = "too_large"
	Overloaded  = "overloaded"
	Timeout     = "timeout"
	NoToken     = "no_token"
	Foreign     = "foreign"
	NotFound    = "not_found"
	Method      = "method_not_allowed"
	Internal    = "internal"
)

// Problemf returns a problem with a formatted message.
func Problemf(status int, code, format string, args ...any) *Problem {
	return &Problem{Status: status, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrong returns the problem of a request that makes no sense.
func Wrong(format string, args ...any) *Problem {
	return Problemf(http.StatusBadRequest, Malformed, format, args...)
}

// Refuse answers with a problem.
func Refuse(w http.ResponseWriter, p *Problem) {
	switch p.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		w.Header().Set("Retry-After", "1")
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="anchorage"`)
	}
	Answer(w, p.Status, map[string]*Problem{"error": p})
}

// Answer answers with JSON.
func Answer(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		status, body = http.StatusInternalServerError,
			[]byte(`{"error":{"code":"internal","message":"the answer is not JSON"}}`)
	}
	body = append(body, '\n')
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
