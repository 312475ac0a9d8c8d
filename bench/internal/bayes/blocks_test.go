package bayes

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/color"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// dichromat returns how a colour looks without the cones for red (protanopia) or green (deuteranopia), by the matrices of
// Machado, Oliveira & Fernandes (IEEE Trans. Vis. Comput. Graph. 15, 2009) on linear light.
func dichromat(c color.RGBA, m [9]float64) [3]float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	var out [3]float64
	for i := range out {
		for j, v := range in {
			out[i] += m[3*i+j] * v
		}
		out[i] = min(max(out[i], 0), 1)
	}
	return out
}

// lab returns CIE L*a*b* of linear sRGB.
func lab(c [3]float64) [3]float64 {
	f := func(t float64) float64 {
		if t > 216./24389 {
			return math.Cbrt(t)
		}
		return (24389./27*t + 16) / 116
	}
	x := f((0.4124*c[0] + 0.3576*c[1] + 0.1805*c[2]) / 0.9505)
	y := f(0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2])
	z := f((0.0193*c[0] + 0.1192*c[1] + 0.9505*c[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// TestBlockColors wants the colours of positive and negative correlations to be far apart for everybody: a difference of 20 in
// CIE L*a*b* is ten times what can just be seen.
func TestBlockColors(t *testing.T) {
	for name, m := range map[string][9]float64{
		"all cones":    {1, 0, 0, 0, 1, 0, 0, 0, 1},
		"protanopia":   {0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998},
		"deuteranopia": {0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881},
		"tritanopia":   {1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.303900},
	} {
		a, b := lab(dichromat(positiveColor, m)), lab(dichromat(negativeColor, m))
		distance := math.Sqrt((a[0]-b[0])*(a[0]-b[0]) + (a[1]-b[1])*(a[1]-b[1]) + (a[2]-b[2])*(a[2]-b[2]))
		if distance < 20 {
			t.Errorf("%s: the colours are %.1f apart", name, distance)
		}
	}
}

// TestBlocks wants a block per correlation that is not zero, of its sign's colour, and the legend's.
func TestBlocks(t *testing.T) {
	var out bytes.Buffer
	if err := writeBlocks(&out, []float64{1, -0.5, -0.5, 1}); err != nil {
		t.Fatal(err)
	}
	if green, red := strings.Count(out.String(), "fill:#009E73"), strings.Count(out.String(), "fill:#D55E00"); green != 2+3 || red != 2+2 {
		t.Errorf("%d green and %d red blocks, want 5 and 4", green, red)
	}
}

// areas returns the areas of the polygons of a colour, in the order in which they were drawn.
func areas(t *testing.T, svg, fill string) []float64 {
	t.Helper()
	var list []float64
	for _, path := range regexp.MustCompile(`<path d="M([^"]*)Z?"\s+style="fill:`+fill).FindAllStringSubmatch(svg, -1) {
		var corners [][2]float64
		for corner := range strings.SplitSeq(strings.TrimSuffix(path[1], "Z"), "L") {
			x, y, _ := strings.Cut(corner, ",")
			a, err := strconv.ParseFloat(x, 64)
			b, other := strconv.ParseFloat(y, 64)
			if err != nil || other != nil {
				t.Fatalf("%q: %v, %v", path[1], err, other)
			}
			corners = append(corners, [2]float64{a, b})
		}
		twice := 0.0
		for i, p := range corners {
			q := corners[(i+1)%len(corners)]
			twice += p[0]*q[1] - p[1]*q[0]
		}
		list = append(list, math.Abs(twice)/2)
	}
	return list
}

// Positive blocks have an area in proportion to the correlation, and negative ones, which stand on a corner, half of it.
func TestBlockAreas(t *testing.T) {
	var out bytes.Buffer
	if err := writeBlocks(&out, []float64{1, -0.5, 0.25, -0.5, 1, 0.04, 0.25, 0.04, 3}); err != nil {
		t.Fatal(err)
	}
	for decoder := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
	}
	green, red := areas(t, out.String(), "#009E73"), areas(t, out.String(), "#D55E00")
	// Row by row, then the legend; what is above 1 is drawn as 1.
	wantGreen, wantRed := []float64{1, 0.25, 1, 0.04, 0.25, 0.04, 1, 1, 0.5, 0.1}, []float64{0.5, 0.5, 0.1, 0.5}
	if len(green) != len(wantGreen) || len(red) != len(wantRed) {
		t.Fatalf("%d green and %d red blocks", len(green), len(red))
	}
	for i, want := range wantGreen {
		if math.Abs(green[i]/green[0]-want) > 0.01 {
			t.Errorf("green block %d has the area %v of the whole, want %v", i, green[i]/green[0], want)
		}
	}
	for i, want := range wantRed {
		if math.Abs(red[i]/green[0]-want/2) > 0.01 {
			t.Errorf("red block %d has the area %v of the whole, want %v", i, red[i]/green[0], want/2)
		}
	}
}

// Rows and columns are numbered 1, 5, 10 and so on.
func TestBlockLabels(t *testing.T) {
	var out bytes.Buffer
	if err := writeBlocks(&out, make([]float64, 12*12)); err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]int{"1": 2 + 1, "5": 2, "10": 2, "12": 0, "0.5": 1, "−0.1": 1} { // the legend has a 1, too
		if got := strings.Count(out.String(), ">"+label+"<"); got != want {
			t.Errorf("%s stands there %d times, want %d", label, got, want)
		}
	}
}

// brokenWriter fails after some bytes.
type brokenWriter int

var errBroken = errors.New("broken")

func (w *brokenWriter) Write(p []byte) (int, error) {
	if *w -= brokenWriter(len(p)); *w < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

// Errors of writing come through.
func TestWriteFails(t *testing.T) {
	w := brokenWriter(1)
	if err := writeBlocks(&w, []float64{1}); !errors.Is(err, errBroken) {
		t.Errorf("blocks: %v", err)
	}
}
