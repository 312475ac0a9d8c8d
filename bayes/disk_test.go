package bayes

import (
	"io/fs"
	"path/filepath"
	"testing"

	"anchorage/internal/synth"
)

func TestDisk(t *testing.T) {
	d := draw(synth.Model{Items: 300, Topics: 5, Documents: 4000, Tokens: 50, Seed: 5})
	for name, c := range map[string]struct {
		o    Options
		plan Plan
		most float64 // the forecast over what is taken, which is at least 1
	}{
		"batch lda":   {Options{Model: LDA, Topics: 5}, Plan{Batch: true, Iterations: 2, Tolerance: 1e-12}, 1},
		"batch cnmf":  {Options{Model: CNMF, Topics: 5, Latent: 3}, Plan{Batch: true, Iterations: 2, Tolerance: 1e-12}, 1},
		"random bnmf": {Options{Model: BNMF, Topics: 5}, Plan{}, 2},
		"in order":    {Options{Model: BNMF, Topics: 5}, Plan{InOrder: true}, 1},
	} {
		f := d.fitter(t, c.o, c.plan)
		taken := int64(0)
		f.Report = func(Progress) error {
			taken = 0
			return filepath.WalkDir(f.from.Dir, func(_ string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				info, err := entry.Info()
				taken += info.Size()
				return err
			})
		}
		if err := f.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		forecast := c.o.Disk(c.plan, d.corpus.Documents, d.entries)
		if forecast < taken || float64(forecast) > c.most*float64(taken) {
			t.Errorf("%s: files of %d bytes, forecast %d", name, taken, forecast)
		}
	}
}
