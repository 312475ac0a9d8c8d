// This file damages every artefact.

package soak

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// damage flips so many bits of all artefacts together, and cuts their files at about so many lengths: an artefact that has not more than its
// share is cut at every one.
func (w *Workshop) damage(ctx context.Context, flips, cuts int) (found []*Outcome, err error) {
	all := Artefacts()
	for i, a := range all {
		if w.over() {
			break
		}
		w.episodes++
		folder := filepath.Join(w.folder, fmt.Sprint("artefact-", w.episodes))
		if err := os.Mkdir(folder, 0o777); err != nil {
			return found, err
		}
		d := Damage{Flips: flips*(i+1)/len(all) - flips*i/len(all), Cuts: (cuts + len(all) - 1) / len(all), Seed: w.seed, Random: true}
		r, err := Harm(ctx, a, folder, d)
		if err != nil {
			return found, err
		}
		how := "flipped bits"
		if cuts > 0 {
			how = "cuts"
		}
		o := &Outcome{What: a.Name, How: how, Disturbed: r.Flips + r.Cuts, Refused: r.Refused, Complete: r.Harmless, Time: r.Time, Problems: r.Silent,
			Note: fmt.Sprintf("of %d bytes", r.Bytes)}
		if found = append(found, o); w.report != nil {
			w.report(o)
		}
		if err := os.RemoveAll(folder); err != nil {
			return found, err
		}
	}
	return found, nil
}
