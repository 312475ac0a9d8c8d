// This file has the colours of pages, and makes the style from them.

package page

import (
	"fmt"
	"strings"
)

// tokens are the colours of a theme, by the names of their CSS variables.
type tokens [][2]string

// The themes. Text has a contrast of at least 4.5 to the backgrounds bg and card (WCAG 2.2, 1.4.3), shapes that carry
// meaning one of at least 3 (1.4.11). c1 to c6 are colours of Okabe and Ito (Color Universal Design, 2008), some darker
// in the light theme for that contrast.
var (
	light = tokens{{"bg", "#ffffff"}, {"card", "#f8f9fa"}, {"fg", "#1b1f23"}, {"muted", "#57606a"}, {"line", "#dfe3e7"},
		{"edge", "#858e97"}, {"accent", "#0a58a8"}, {"good", "#00664a"}, {"worry", "#a33b00"}, {"focus", "#c25700"},
		{"bar", "#2b7bba"}, {"c1", "#0072b2"}, {"c2", "#d55e00"}, {"c3", "#00805d"}, {"c4", "#a8487e"}, {"c5", "#8a6a00"},
		{"c6", "#3a3a3a"}}
	dark = tokens{{"bg", "#15181c"}, {"card", "#1d2126"}, {"fg", "#e6e8ea"}, {"muted", "#a3acb5"}, {"line", "#30363d"},
		{"edge", "#6e7781"}, {"accent", "#7cbcff"}, {"good", "#4cc79b"}, {"worry", "#ff9d5c"}, {"focus", "#ffb454"},
		{"bar", "#4d9ad6"}, {"c1", "#56b4e9"}, {"c2", "#e69f00"}, {"c3", "#2fbf94"}, {"c4", "#e08fbd"}, {"c5", "#f0e442"},
		{"c6", "#d0d0d0"}}
)

// Levels is the number of steps of the scale of heat maps.
const Levels = 9

// The scale, from least to greatest, as ColorBrewer (Brewer, Harrower and Pennsylvania State University) has it for
// light backgrounds; for dark ones the middle is dark.
var (
	sidesLight = [Levels]string{"#b35806", "#e08214", "#fdb863", "#fee0b6", "#eceef0", "#d8daeb", "#b2abd2",
		"#8073ac", "#542788"}
	sidesDark = [Levels]string{"#fdb863", "#e08214", "#b35806", "#6b3a10", "#262b31", "#3a2a5c", "#6a51a3",
		"#9e94cf", "#d8d4f0"}
)

// css returns the declarations of a theme.
func (t tokens) css(sides *[Levels]string) string {
	var b strings.Builder
	for _, token := range t {
		fmt.Fprintf(&b, "--%s:%s;", token[0], token[1])
	}
	for i, colour := range sides {
		fmt.Fprintf(&b, "--s%d:%s;", i, colour)
	}
	return b.String()
}

// Style is the style of all pages.
var Style = style()

func style() string {
	var scales strings.Builder
	for i := range Levels {
		fmt.Fprintf(&scales, "svg .s%d{fill:var(--s%d)}", i, i)
	}
	for i := 1; i <= len(dashes); i++ {
		fmt.Fprintf(&scales, "svg .l%d{stroke:var(--c%d)}svg .f%d{fill:var(--c%d)}", i, i, i, i)
	}
	for i := range BarSteps + 1 {
		fmt.Fprintf(&scales, ".w%d{width:%d%%}", i, i*100/BarSteps)
	}
	for i := range Hues {
		fmt.Fprintf(&scales, ".k%d{--bar:var(--c%d)}", i+1, i+1)
	}
	for _, size := range nameSizes {
		fmt.Fprintf(&scales, "svg .t%v{font-size:%vpx}", size, size)
	}
	return strings.NewReplacer("/*LIGHT*/", light.css(&sidesLight), "/*DARK*/", dark.css(&sidesDark),
		"/*SCALES*/", scales.String()).Replace(styles)
}
