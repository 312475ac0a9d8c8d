// Package page makes pages of HTML: the shell with its style and a content security policy, tables, and charts as SVG, each with the table
// of its values behind it. A page is one file that loads nothing, and works without its script.
//
// Colours come from three palettes that readers with any colour vision can tell apart: Okabe and Ito's for kinds, ColorBrewer's Blues for
// amounts, and ColorBrewer's PuOr for what lies on two sides of a middle. No chart says anything by colour alone: kinds also differ in
// shape or dashes, and cells of heat maps in size.
package page

import "embed"

//go:embed style.css script.js
var assets embed.FS
