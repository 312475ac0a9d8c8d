package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"image/color"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"anchorage/internal/synth"
	"anchorage/svi"
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

func TestBayesCheck(t *testing.T) {
	for want, b := range map[string]Bayes{
		"no shards":    {},
		"no model":     {Shards: []string{"x"}, Models: []string{"nmf"}},
		"increasing":   {Shards: []string{"x"}, Topics: []int{5, 4}},
		"from 2":       {Shards: []string{"x"}, Sizes: []int{1}},
		"more items":   {Shards: []string{"x"}, Items: 100},
		"from 0 to 1,": {Shards: []string{"x"}, MaxDFRatio: 1.5},
	} {
		if err := b.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", b, err, want)
		}
	}
}

// TestCurve wants means over stretches of documents, weighted by tokens, without the first ones.
func TestCurve(t *testing.T) {
	c := &bayesCell{Learned: 1600, Scores: []svi.HeldOut{
		{Documents: 0, Tokens: 1, LogLikelihood: -100},
		{Documents: 110, Tokens: 1, LogLikelihood: -8}, {Documents: 190, Tokens: 3, LogLikelihood: -4},
		{Documents: 1599, Tokens: 7, LogLikelihood: -2},
	}}
	s := c.curve("x", 0)
	if len(s.points) != 2 || s.points[0].x != 150 || s.points[0].y != -5 || s.points[1].y != -2 {
		t.Errorf("points %+v", s.points)
	}
	if c.final() != -2 {
		t.Errorf("final score %v", c.final())
	}
}

// TestWritePeers wants the files that the script reads, and scores near those of the truth.
func TestWritePeers(t *testing.T) {
	dir := t.TempDir()
	docs := synth.Model{Items: 300, Topics: 4, Documents: peerTests + 1500, Tokens: 30, Seed: 2}.Plant()
	if _, err := docs.WriteShards(context.Background(), dir, 2); err != nil {
		t.Fatal(err)
	}
	b := Bayes{Shards: []string{dir}, Models: []string{"lda"}, Topics: []int{4}, Items: 300, Documents: 1000, Seed: 1, Log: slog.New(slog.DiscardHandler)}
	if err := b.Check(); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "peers")
	if err := b.WritePeers(context.Background(), folder); err != nil {
		t.Fatal(err)
	}
	for name, lines := range map[string]int{"train.txt": 1000, "test.txt": peerTests, "held.txt": peerTests} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || bytes.Count(text, []byte("\n")) != lines {
			t.Errorf("%s has %d lines, want %d; error %v", name, bytes.Count(text, []byte("\n")), lines, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(folder, "anchorage.json"))
	if err != nil {
		t.Fatal(err)
	}
	var results []peerResult
	if err := json.Unmarshal(text, &results); err != nil || len(results) != 2 {
		t.Fatalf("%d results, error %v", len(results), err)
	}
	if r := results[0]; r.LogLikelihood != results[1].LogLikelihood || r.Tokens < 10*peerTests/2 || r.LogLikelihood < -math.Log(300) {
		t.Errorf("results %+v", results)
	}
	b.Documents = 1 << 40
	if err := b.WritePeers(context.Background(), t.TempDir()); err == nil {
		t.Error("more documents than there are: no error")
	}
}
