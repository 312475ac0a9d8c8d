// This file reads what requests ask.

package web

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
)

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
