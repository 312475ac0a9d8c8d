// Package serve answers questions to a model over HTTP, in JSON: the topics of documents, the items that resemble an
// item or go with it, and the topics themselves. It reads and never writes.
//
// A Server loads a model once and keeps it in memory, whole. Options.Watch makes it look for a new model at the same
// place, which may be a store; requests that have begun are answered from the model that they began with. The
// description of the interface, in the form of OpenAPI 3.0, is openapi.json, which the server hands out at
// /v1/openapi.json.
//
// Every request is limited: its body, documents, items, duration, and the number of requests at work. A request beyond
// a limit is refused with a status that says so and costs next to nothing. Errors have one form:
//
//	{"error": {"code": "unknown_item", "message": "…", "suggestions": ["…"]}}
package serve
