// This file makes texts comparable.

package safetext

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Low returns a text in small letters, with accents composed: two that look alike then have the same bytes.
func Low(text string) string { return norm.NFC.String(strings.ToLower(text)) }
