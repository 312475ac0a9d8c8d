// Package show renders results: it reads the CSV files of a folder, and writes README.md and charts by a template. A
// template is Markdown with text/template; its functions and methods are those of View and Page. Every figure of a page
// is computed by an expression over columns, so that a part of bench needs no Go code to be shown:
//
//	{{with rows "runs" | where "failure == ''"}}{{.Table "N=items" "ratio=error/floor|%.2f"}}{{end}}
//	{{(rows "stages").Chart "stages.svg" "corpus" "items N=items log" "stage" "seconds=seconds log"}}
//
// A View is never modified; its methods return new ones.
package show
