package serve

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// schema describes a value in openapi.json.
type schema struct {
	Ref        string `json:"$ref"`
	Type       string
	Required   []string
	Properties map[string]schema
	Items      *schema
}

// describedAPI is what this test reads of openapi.json.
type describedAPI struct {
	Paths map[string]map[string]struct {
		Responses map[string]struct {
			Content map[string]struct{ Schema schema }
		}
	}
	Components struct{ Schemas map[string]schema }
}

// Every operation that is described can be asked for, and its answer is what the description says, with nothing more in
// it: so a client that is generated from the description decodes it.
func TestAnswersAreDescribed(t *testing.T) {
	var api describedAPI
	if err := json.Unmarshal([]byte(openAPI), &api); err != nil {
		t.Fatal(err)
	}
	s := serving(t, Options{})
	targets := map[string]string{"/v1/topics": "/v1/topics?n=2", "/v1/topics/{topic}": "/v1/topics/1?n=2",
		"/v1/items": "/v1/items?search=ITEM+1", "/v1/items/{id}": "/v1/items/item%201?n=2",
		"/v1/items/{id}/similar": "/v1/items/item%201/similar?n=2",
		"/v1/items/{id}/with":    "/v1/items/item%201/with?and=item+2&n=2"}
	body := `{"documents":[{"id":"a","items":["item 1","other"]},{"items":{"item 2":2}},{"items":["other"]}],` +
		`"mixture":true}`
	for path, methods := range api.Paths {
		target, found := targets[path]
		if !found {
			target = path
		}
		for method, operation := range methods {
			w := httptest.NewRecorder()
			s.Handler().ServeHTTP(w, httptest.NewRequest(strings.ToUpper(method), target, strings.NewReader(body)))
			kind, _, _ := strings.Cut(w.Header().Get("Content-Type"), ";")
			content, described := operation.Responses["200"].Content[kind]
			if w.Code != 200 || !described || w.Body.Len() == 0 {
				t.Errorf("%s %s: %d, %s: %s", method, target, w.Code, kind, w.Body)
			} else if kind == "application/json" {
				api.check(t, method+" "+target, content.Schema, w.Body.String())
			}
		}
	}
	status, unknown := ask(s, "GET", "/v1/items/itm%201", "")
	if status != 404 {
		t.Errorf("an unknown item: %d", status)
	}
	api.check(t, "an unknown item", api.Components.Schemas["Error"], unknown)
}

// check fails the test if an answer is not what a schema says.
func (api *describedAPI) check(t *testing.T, name string, s schema, answer string) {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(answer), &value); err != nil {
		t.Errorf("%s: %v", name, err)
	} else if problem := api.mismatch("the answer", s, value); problem != "" {
		t.Errorf("%s: %s: %s", name, problem, answer)
	}
}

// mismatch says what in a value is not as a schema says; "" if all is.
func (api *describedAPI) mismatch(at string, s schema, value any) string {
	if name, found := strings.CutPrefix(s.Ref, "#/components/schemas/"); found {
		s = api.Components.Schemas[name]
	}
	kind := "null"
	switch v := value.(type) {
	case string:
		kind = "string"
	case bool:
		kind = "boolean"
	case float64:
		if kind = "number"; s.Type == "integer" && v == math.Trunc(v) {
			kind = s.Type
		}
	case []any:
		kind = "array"
		for i, one := range v {
			if problem := api.mismatch(fmt.Sprintf("%s[%d]", at, i), *s.Items, one); problem != "" {
				return problem
			}
		}
	case map[string]any:
		kind = "object"
		for name, one := range v {
			property, described := s.Properties[name]
			if !described && s.Properties != nil {
				return at + "." + name + " is not described"
			}
			if described {
				if problem := api.mismatch(at+"."+name, property, one); problem != "" {
					return problem
				}
			}
		}
		if i := slices.IndexFunc(s.Required, func(name string) bool { return v[name] == nil }); i >= 0 {
			return at + "." + s.Required[i] + " is absent"
		}
	}
	if kind != s.Type {
		return fmt.Sprintf("%s is %s, not %s", at, kind, s.Type)
	}
	return ""
}
