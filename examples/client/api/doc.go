// Package api is a client of anchorage serve. All of it but this file is generated from the description of the
// interface.
package api

//go:generate go tool oapi-codegen -config config.yaml ../../../serve/openapi.json
