// Package web holds what the servers share: errors and answers in JSON, the refusal of foreign hosts and origins, and a
// server that ends when it is told to.
//
// Errors have one form:
//
//	{"error": {"code": "unknown_item", "message": "…", "suggestions": ["…"]}}
package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
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

// Text answers with something that is not JSON, and its headers: names and values in turn.
func Text(body string, headers ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		_, _ = w.Write([]byte(body))
	})
}

// ReadJSON reads the body of a request, which must be one value of JSON without unknown members. The error is a
// *Problem.
func ReadJSON(r *http.Request, into any) error {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	err := decoder.Decode(into)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return Wrong("the body ends before its JSON does")
	case err != nil:
		return Wrong("the body is not the JSON that is wanted: %v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return Wrong("something follows the JSON of the body")
	}
	return nil
}

// Whole returns a parameter of the query: a whole number from least to most, or missing if the query has none.
func Whole(r *http.Request, name string, missing, least, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return min(missing, most), nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, Wrong("%s is %.40q: it must be a whole number from %d to %d", name, text, least, most)
	}
	return n, nil
}

// Token is what a request must show.
type Token string

// Is reports whether a text is the token, in a time that says nothing of the token.
func (t Token) Is(text string) bool {
	got, want := sha256.Sum256([]byte(text)), sha256.Sum256([]byte(t))
	return subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// Borne reports whether a request has the token as its bearer token (RFC 6750).
func (t Token) Borne(r *http.Request) bool {
	scheme, shown, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.EqualFold(scheme, "Bearer") && t.Is(strings.TrimSpace(shown))
}
