// Package web holds what the servers share: errors and answers in JSON, the refusal of foreign hosts and origins, and a
// server that ends when it is told to.
//
// Errors have one form:
//
//	{"error": {"code": "unknown_item", "message": "…", "suggestions": ["…"]}}
package web
