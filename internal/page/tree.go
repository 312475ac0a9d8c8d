// This file turns what templates made into a tree, for scripts that make elements of it and never parse HTML.

package page

import (
	"encoding/xml"
	"html/template"
	"io"
	"strings"
)

// Tree returns the elements of a part of a page, each as [name, attributes, children...], with text as strings. Parts
// come from templates, so one that is not well-formed is a programmer's error and panics.
func Tree(part template.HTML) []any {
	decoder := xml.NewDecoder(strings.NewReader(string(part)))
	decoder.Strict, decoder.AutoClose, decoder.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	open := [][]any{nil} // the elements that have begun, within each other
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return open[0]
		}
		if err != nil {
			panic("page: " + err.Error())
		}
		last := len(open) - 1
		switch t := token.(type) {
		case xml.StartElement:
			attributes := make(map[string]string, len(t.Attr))
			for _, a := range t.Attr {
				attributes[a.Name.Local] = a.Value
			}
			open = append(open, []any{t.Name.Local, attributes})
		case xml.EndElement:
			open[last-1] = append(open[last-1], open[last])
			open = open[:last]
		case xml.CharData:
			if text := string(t); strings.TrimSpace(text) != "" {
				open[last] = append(open[last], text)
			}
		}
	}
}
