// This file tests the shell, names and charts.

package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"html/template"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

var hostile = []string{`</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "\u202eevil", "a\x00b", strings.Repeat("é", 10_000),
	strings.Repeat("😀", 10_000), "", "\xff\xfe", "{{.}}", "-->", "<!--", "&amp;"}

// charts returns one of each kind, with hostile names.
func charts() map[string]template.HTML {
	points := []Point{}
	for i, name := range hostile {
		points = append(points, Point{X: float64(i), Y: float64(i * i % 7), Shape: Shape(i % 3), Size: 0.5, Name: name, Tip: name})
	}
	n := len(hostile)
	values := make([]float64, n*n)
	for i := range values {
		values[i] = float64(i%9) - 4
	}
	behind := Table{ID: "t", Caption: "values", Columns: []Column{{Name: "name"}, {Name: "value", Numeric: true}}, Sort: true, Search: true}
	for i, name := range hostile {
		behind.Rows = append(behind.Rows, []Cell{Named(name), Value(float64(i))})
	}
	chart := func(id string) Chart {
		return Chart{ID: id, Title: "title", About: "about", Note: "note", Behind: behind}
	}
	lines := &Lines{Chart: chart("lines"), XName: "x", YName: "y", Marks: []Mark{{2, "here"}}}
	for _, name := range hostile {
		lines.Lines = append(lines.Lines, Line{Name: name, X: []float64{0, 1, 2}, Y: []float64{1, math.NaN(), 3}, Points: true})
	}
	multiples := &Multiples{Chart: chart("multiples"), X: []float64{0, 1, 2}, XText: Number, YText: Share, First: true, Last: true}
	for _, name := range hostile {
		multiples.Series = append(multiples.Series, Series{Name: name, Href: "t", Y: []float64{1, 2, 3}, Low: []float64{0, 1, 2}, High: []float64{2, 3, 4}})
	}
	bars := &Bars{Label: "list"}
	for i, name := range hostile {
		bars.List = append(bars.List, Bar{name, float64(i), Number(float64(i))})
	}
	treemap := &Treemap{Label: "areas"}
	for i, name := range hostile {
		treemap.Areas = append(treemap.Areas, Area{Names: []string{name, "영화배우", "שלום"}, Value: float64(i), Text: "1%", Href: "t", Hue: i % 3})
	}
	return map[string]template.HTML{"scatter": (&Scatter{Width: 720, Height: 480, Chart: chart("map"), Points: points, Hull: []int{0, 3, 6}, Links: [][2]int{{0, 1}}}).HTML(),
		"heat map":           (&HeatMap{Chart: chart("heat"), Values: values, Names: hostile, Reach: 4, Legend: [3]string{"low", "middle", "high"}}).HTML(),
		"map in three forms": (&Scatter{Chart: chart("forms"), Points: points}).HTML(), "lines": lines.HTML(), "multiples": multiples.HTML(), "bars": bars.HTML(), "tree map": treemap.HTML()}
}

func TestChartsAreWellFormedAndNamesStayText(t *testing.T) {
	for kind, chart := range charts() {
		decoder := xml.NewDecoder(strings.NewReader(strings.NewReplacer(" hidden>", ">", " data-sort>", ">").Replace("<div>" + string(chart) + "</div>")))
		decoder.Strict, decoder.AutoClose, decoder.Entity = false, []string{"input"}, xml.HTMLEntity
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			if start, ok := token.(xml.StartElement); ok {
				if slices.Contains([]string{"script", "img"}, start.Name.Local) {
					t.Errorf("%s: a name became the element %s", kind, start.Name.Local)
				}
				for _, attribute := range start.Attr {
					if strings.HasPrefix(attribute.Name.Local, "on") || attribute.Name.Local == "style" {
						t.Errorf("%s: attribute %s, which the policy forbids", kind, attribute.Name.Local)
					}
				}
			}
		}
		for _, r := range string(chart) {
			if r == 0 || r == '\u202e' || r == utf8.RuneError {
				t.Errorf("%s has the character %U", kind, r)
			}
		}
		if len(chart) > 40_000 {
			t.Errorf("%s has %d bytes: long names are not cut", kind, len(chart))
		}
		if kind != "bars" && kind != "tree map" && (!strings.Contains(string(chart), "<title") || !strings.Contains(string(chart), "<desc") || !strings.Contains(string(chart), "<table")) {
			t.Errorf("%s has no title, description or table", kind)
		}
	}
}

// The areas of a tree map are in proportion to their values, fill it without overlap, and hold their names.
func TestTreemap(t *testing.T) {
	values, whole := []float64{40, 20, 20, 10, 5, 4, 0.9, 0.1}, box{0, 0, 350, 620}
	list := squarify(values, whole)
	for i, b := range list {
		area := (b.right - b.left) * (b.bottom - b.top)
		if want := values[i] / 100 * 350 * 620; math.Abs(area-want) > 1e-6*want {
			t.Errorf("the area of %v is %v and not %v", values[i], area, want)
		}
		if b.left < -1e-9 || b.top < -1e-9 || b.right > 350+1e-9 || b.bottom > 620+1e-9 {
			t.Errorf("%v is outside", b)
		}
		for _, other := range list[:i] {
			if (min(b.right, other.right)-max(b.left, other.left) > 1e-9) && (min(b.bottom, other.bottom)-max(b.top, other.top) > 1e-9) {
				t.Errorf("%v meets %v", b, other)
			}
		}
		for _, name := range append(hostile, "영화배우 감독", "WWWWWWWW") {
			d := (&Area{Names: []string{name, "film"}, Value: 1, Text: "10.5%"}).draw(b)
			for _, line := range d.Lines {
				var y, size float64
				fmt.Sscan(line.Y, &y)
				fmt.Sscan(line.Class[1:], &size)
				if measure(line.Text)*size > b.right-b.left || y > b.bottom-b.top {
					t.Errorf("%q leaves %v", line.Text, b)
				}
			}
		}
	}
}

// TestFlow wants every name to stay in its stretch, the bands of a stretch to take no more than its height, a thread for
// each thin band, and, of a nested flow, every stretch to span those that belong to it.
func TestFlow(t *testing.T) {
	var left, right []Area
	var bands []Band
	for n, name := range append(hostile, strings.Repeat("W", 300), "film") {
		left = append(left, Area{Names: []string{name, name}, Value: 1 / float64(n+1), Text: "10.5%"})
		right = append(right, Area{Names: []string{name}, Value: float64(n + 1), Text: "1%", Href: "topic-1", Hue: n % Hues})
		bands = append(bands, Band{From: n, To: n, Value: 3}, Band{From: n, To: 0, Value: 0.1, Thin: true})
	}
	f := Flow{Columns: [][]Area{left, right}, Heads: []string{"then", "now"}, Bands: [][]Band{bands}}
	picture := string(f.HTML())
	for class, want := range map[string]int{"band": len(left), "thread": len(left)} {
		if got := strings.Count(picture, `<path class="`+class); got != want*len(widths) {
			t.Errorf("%d of class %s, want %d in each form", got, class, want)
		}
	}
	for _, name := range hostile {
		if strings.Contains(name, "<") && strings.Contains(picture, name) {
			t.Errorf("%q is in the picture as it is", name)
		}
	}
	places := stack(left, 0, 200, 400)
	if last := places[len(places)-1].bottom; last > 400+flowHead {
		t.Errorf("the column ends at %v", last)
	}
	for n := range left {
		for _, line := range left[n].line(places[n]).Lines {
			if measure(line.Text)*12 > 200 {
				t.Errorf("%q leaves its stretch", line.Text)
			}
		}
	}
	f.Nested, f.Columns[0] = true, left[:2]
	f.Bands[0] = nil
	for n := range right {
		f.Bands[0] = append(f.Bands[0], Band{From: n / (len(right) - 2), To: n, Value: 1})
	}
	nested := f.places(400, 100, 20)
	if a, z := nested[0], nested[1]; a[0].top != z[0].top || a[0].bottom != z[len(z)-3].bottom || a[1].top != z[len(z)-2].top ||
		a[1].bottom != z[len(z)-1].bottom {
		t.Errorf("%v does not span %v", a, z)
	}
}

// TestLinesAndMultiples wants a line without a name to have none, zero to have no sign, and titles that fit.
func TestLinesAndMultiples(t *testing.T) {
	lines := Lines{Lines: []Line{{X: []float64{1, 2}, Y: []float64{0, 5}}}}
	if text := string(lines.HTML()); strings.Contains(text, "(empty)") || strings.Contains(text, "−0<") {
		t.Errorf("a line without a name, from 0 to 5: %s", text)
	}
	for names, want := range map[string]string{"bleach · mop": "bleach · mop", "lawn seed · pruning shears · watering can": "lawn seed · pruning shears"} {
		if got := title(names); got != want {
			t.Errorf("%s is shown as %s", names, got)
		}
	}
	if got := title(strings.Repeat("영화배우", 20)); 11*measure(got) > multipleWidth || len(got) < 20 {
		t.Errorf("a long name is shown as %s", got)
	}
}

// TestLeadersKeepClearOfNames wants no line to a name to pass through another name of a narrow map.
func TestLeadersKeepClearOfNames(t *testing.T) {
	var s Scatter
	for n := range 40 {
		s.Points = append(s.Points, Point{X: float64(n % 7), Y: float64(n % 5), Shape: Circle, Size: 0.3, Name: fmt.Sprintf("name %d · other", n)})
	}
	labels := s.labels(s.places(350, 455), 350, 455)
	var names []box
	for _, l := range labels {
		var x, y float64
		fmt.Sscan(l.X+" "+l.Y, &x, &y)
		long := 11 * measure(l.Text)
		left := map[string]float64{"start": x, "middle": x - long/2, "end": x - long}[l.Anchor]
		names = append(names, box{left, y - 9, left + long, y + 2})
	}
	for i, l := range labels {
		var from, to [2]float64
		if n, _ := fmt.Sscanf(l.Leader, "M%f %fL%f %f", &from[0], &from[1], &to[0], &to[1]); n == 4 && !clear(from, to, slices.Concat(names[:i], names[i+1:])) {
			t.Errorf("the line to %s passes through a name", l.Text)
		}
		if strings.Contains(l.Text, "other") {
			t.Errorf("a narrow map has all names of %s", l.Text)
		}
	}
	if len(labels) < 10 {
		t.Errorf("%d of 40 circles have names", len(labels))
	}
}

// TestCirclesLieBesideEachOther wants circles of a map not to meet, whatever their places, and its names neither.
func TestCirclesLieBesideEachOther(t *testing.T) {
	s := Scatter{Width: 720, Height: 480}
	for n := range 40 {
		s.Points = append(s.Points, Point{X: float64(n / 20), Y: float64(n % 3), Shape: Circle, Size: 1 / float64(n+1),
			Name: fmt.Sprintf("topic %d · 영화배우", n), Hue: 1})
	}
	places := s.places(1040, 560)
	for i, p := range places {
		for j, q := range places[:i] {
			if away := math.Hypot(p[0]-q[0], p[1]-q[1]); away < s.Points[i].radius(1040)+s.Points[j].radius(1040) {
				t.Errorf("circles %d and %d meet: they are %v apart", i, j, away)
			}
		}
	}
	labels := s.labels(places, 1040, 560)
	if len(labels) != 40 {
		t.Errorf("%d of 40 circles have names", len(labels))
	}
	again := s.places(1040, 560)
	if !slices.Equal(places, again) {
		t.Error("another picture of the same points")
	}
}

// TestTree wants text and attributes as they are, and elements of every chart.
func TestTree(t *testing.T) {
	tree, err := json.Marshal(Tree("<p class=\"a\" hidden>x &lt;b&gt; &#34;<br>y</p>\n<i>z</i>"))
	if want := `[["p",{"class":"a","hidden":"hidden"},"x \u003cb\u003e \"",["br",{}],"y"],["i",{},"z"]]`; err != nil || string(tree) != want {
		t.Errorf("%s, %v, want %s", tree, err, want)
	}
	for kind, chart := range charts() {
		if len(Tree(chart)) == 0 {
			t.Errorf("%s has no elements", kind)
		}
	}
}

// TestPolicyFitsTheText computes the hashes of the style and the script as a browser does, from what the page has between its tags.
func TestPolicyFitsTheText(t *testing.T) {
	var b bytes.Buffer
	p := Page{Title: "</title><script>x</script>", Sections: []Section{{ID: "one", Title: "One", Body: "<p>text</p>"}}}
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, tag := range []string{"style", "script"} {
		found := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(text, -1)
		if len(found) != 1 {
			t.Fatalf("%d elements %s", len(found), tag)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		policy := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if !strings.Contains(html.UnescapeString(text[:strings.Index(text, "<style>")]), policy) {
			t.Errorf("the policy does not name the %s of the page: %s", tag, policy)
		}
	}
	if loads := regexp.MustCompile(`(?i)(https?:|//[a-z]|src=|@import|url\()`).FindString(strings.ReplaceAll(text, Script, "")); loads != "" {
		t.Errorf("the page loads something: %q", loads)
	}
}

func TestCut(t *testing.T) {
	for _, name := range hostile {
		cut := Name(name)
		if n := utf8.RuneCountInString(cut); n == 0 || n > NameLength || !utf8.ValidString(cut) {
			t.Errorf("Name(%.20q) = %q", name, cut)
		}
	}
	if got, want := Cut("abcdef", 4), "abc…"; got != want {
		t.Errorf("Cut = %q, not %q", got, want)
	}
}

// TestLabelsKeepBothEnds wants the labels of films to say which of a series they are.
func TestLabelsKeepBothEnds(t *testing.T) {
	name := "The Lord of the Rings: The Return of the King (2003)"
	points := &Scatter{Points: []Point{{Name: name, Shape: Circle}, {Name: "Up", X: 1, Y: 1, Shape: Circle}}}
	matrix := &HeatMap{Names: []string{name, "Up"}, Values: []float64{0, 1, 1, 0}, Reach: 1}
	for chart, text := range map[string]template.HTML{"scatter": points.HTML(), "heat map": matrix.HTML()} {
		if labels := regexp.MustCompile(`>[^<]*…[^<]*<`).FindAllString(string(text), -1); len(labels) == 0 ||
			!strings.HasPrefix(labels[0], ">The") || !strings.HasSuffix(labels[0], "(2003)<") {
			t.Errorf("%s: labels are %q", chart, labels)
		}
	}
}

func TestHullHoldsAllPoints(t *testing.T) {
	var points [][2]float64
	for i := range 200 {
		points = append(points, [2]float64{math.Sin(float64(i * i)), math.Cos(float64(3*i+i*i*i%11)) * 2})
	}
	hull := Hull(points)
	for n := range hull {
		p, q := points[hull[n]], points[hull[(n+1)%len(hull)]]
		for i, r := range points {
			if (q[0]-p[0])*(r[1]-p[1])-(q[1]-p[1])*(r[0]-p[0]) < -1e-12 {
				t.Fatalf("point %d lies outside of edge %d", i, n)
			}
		}
	}
	if got := Hull([][2]float64{{0, 0}, {1, 1}, {2, 2}, {0, 0}}); len(got) != 2 {
		t.Errorf("the hull of points on a line has %d vertices", len(got))
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{{Number(0.012345), "0.0123"}, {Number(-3), "−3.00"}, {Number(1234567), "1,234,567"}, {Number(math.NaN()), "–"},
		{Number(0.00001), "1.0e−05"}, {Share(0.1234), "12.3%"}, {Share(0.001234), "0.12%"}, {Count(-1234), "−1,234"}, {Count(999), "999"}, {Number(9.999), "10.00"}} {
		if c.got != c.want {
			t.Errorf("%q, not %q", c.got, c.want)
		}
	}
}

// TestContrast holds the colours of both themes against WCAG 2.2.
func TestContrast(t *testing.T) {
	luminance := func(hex string) float64 {
		var sum float64
		for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
			var v int
			for _, c := range hex[1+2*i : 3+2*i] {
				v = v*16 + strings.IndexRune("0123456789abcdef", c)
			}
			c := float64(v) / 255
			if c <= 0.04045 {
				c /= 12.92
			} else {
				c = math.Pow((c+0.055)/1.055, 2.4)
			}
			sum += weight * c
		}
		return sum
	}
	for name, theme := range map[string]tokens{"light": light, "dark": dark} {
		of := map[string]string{}
		for _, token := range theme {
			of[token[0]] = token[1]
		}
		for _, front := range []string{"fg", "muted", "accent", "good", "worry", "edge", "focus", "bar", "c1", "c2", "c3", "c4", "c5", "c6"} {
			least := 3.0
			if slices.Contains([]string{"fg", "muted", "accent", "good", "worry"}, front) {
				least = 4.5
			}
			for _, back := range []string{"bg", "card"} {
				a, b := luminance(of[front]), luminance(of[back])
				if contrast := (max(a, b) + 0.05) / (min(a, b) + 0.05); contrast < least {
					t.Errorf("%s: %s on %s has a contrast of %.2f, less than %g", name, front, back, contrast, least)
				}
			}
		}
		for hue := range Hues { // names lie on bars
			for _, bars := range [][]string{{`\.bars i{.*?opacity:(.*?)[;}]`}, {`\.bars\.over i{opacity:(.*?)}`, `\.bars\.over i\+i{opacity:(.*?)}`}} {
				back := of["card"]
				for _, bar := range bars {
					opacity, err := strconv.ParseFloat(regexp.MustCompile(bar).FindStringSubmatch(Style)[1], 64)
					if err != nil {
						t.Fatal(err)
					}
					back = mixed(of[fmt.Sprintf("c%d", hue+1)], back, opacity)
				}
				a, b := luminance(of["fg"]), luminance(back)
				if contrast := (max(a, b) + 0.05) / (min(a, b) + 0.05); contrast < 4.5 {
					t.Errorf("%s: names on bars of c%d have a contrast of %.2f", name, hue+1, contrast)
				}
			}
		}
	}
}

// mixed returns a colour over another.
func mixed(front, back string, opacity float64) string {
	text := "#"
	for i := 1; i < 7; i += 2 {
		a, _ := strconv.ParseInt(front[i:i+2], 16, 32)
		b, _ := strconv.ParseInt(back[i:i+2], 16, 32)
		text += fmt.Sprintf("%02x", int(math.Round(opacity*float64(a)+(1-opacity)*float64(b))))
	}
	return text
}
