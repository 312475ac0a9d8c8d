// Package page makes pages of HTML: the shell with its style and a content security policy, tables, and charts as SVG,
// each with the table of its values behind it. A page is one file that loads nothing, and works without its script.
//
// Colours come from two palettes that readers with any colour vision can tell apart: Okabe and Ito's for kinds, and
// ColorBrewer's PuOr for the two sides of a middle. No chart says anything only by colour: kinds also differ in shape
// or dashes, and cells of heat maps in size.
package page

import _ "embed"

// Script is the script of all pages.
//
//go:embed script.js
var Script string

//go:embed style.css
var styles string
