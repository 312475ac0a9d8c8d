// This file fills a small disk.

package soak

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// roomy is the size of a disk on which every task fits, in kilobytes, and tight that of one on which no more than a beginning does.
const (
	roomy = 64 << 10
	tight = 8
)

// fill runs a task on disks of so many sizes, which hold what was there before and a little more or much more, then gives the disk room and
// runs it again. Without the right to mount a disk, the outcome says so.
func (w *Workshop) fill(ctx context.Context, t task, enough int) (*Outcome, error) {
	o := &Outcome{What: t.name, How: "full disk"}
	begun := time.Now()
	r, err := w.reference(ctx, t)
	if err != nil {
		return nil, err
	}
	for i := range enough {
		if w.over() {
			break
		}
		// Sizes grow by equal factors.
		more := tight * math.Pow(float64(roomy)/4/tight, (float64(i)+w.uniform())/float64(enough))
		refused, err := w.fillOnce(ctx, t, r, o, int(more))
		if refused != "" {
			o.Note = "left out: " + refused
			return o, nil
		}
		if err != nil {
			return o, err
		}
	}
	o.Time, o.Note = time.Since(begun), "on a tmpfs"
	return o, nil
}

// fillOnce runs a task on a disk with so many kilobytes of room. refused says that there is no disk to be had.
func (w *Workshop) fillOnce(ctx context.Context, t task, r *reference, o *Outcome, room int) (refused string, err error) {
	w.episodes++
	disk := filepath.Join(w.folder, fmt.Sprint("disk-", w.episodes))
	if err := os.Mkdir(disk, 0o777); err != nil {
		return "", err
	}
	if said, err := exec.CommandContext(ctx, "mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%dk", roomy), "tmpfs", disk).CombinedOutput(); err != nil {
		return "no tmpfs can be mounted: " + strings.TrimSpace(string(said)), os.Remove(disk)
	}
	defer func() {
		_, unmounting := exec.Command("umount", disk).CombinedOutput()
		err = errors.Join(err, unmounting, os.Remove(disk))
	}()
	folder := filepath.Join(disk, "run")
	err = errors.Join(os.CopyFS(filepath.Join(disk, "shards"), os.DirFS(filepath.Join(w.folder, "shards"))), makeFolders(folder, "tmp", "work"))
	if err == nil && r.before != "" {
		err = os.CopyFS(filepath.Join(folder, "out"), os.DirFS(r.before))
	}
	if err != nil {
		return "", err
	}
	used, err := usedKilobytes(disk)
	if err != nil {
		return "", err
	}
	if err := resize(ctx, disk, used+room); err != nil {
		return "", err
	}
	e, err := w.run(ctx, folder, order{}, strings.Fields(t.line+" --no-disk-check")...)
	if err != nil {
		return "", err
	}
	o.Disturbed++
	state, wrong := t.look(ctx, r, folder)
	switch {
	case wrong != "":
	case oneOf(e.code, 0, 15):
		if o.Complete++; state != isNew {
			wrong = "the output is " + state
		}
	case e.code != 12:
		wrong = "the code should be 12"
	default:
		if o.Refused++; state != isOld {
			wrong = "the output is " + state
		}
	}
	if wrong == "" {
		if err := resize(ctx, disk, roomy); err != nil {
			return "", err
		}
		if wrong, err = w.finish(ctx, t, r, folder, state); err != nil {
			return "", err
		}
	}
	if wrong != "" {
		o.problem("with %d kB of room: %v: %s", room, e, wrong)
	}
	return "", nil
}

// resize gives a disk another size.
func resize(ctx context.Context, disk string, kilobytes int) error {
	said, err := exec.CommandContext(ctx, "mount", "-o", fmt.Sprintf("remount,size=%dk", kilobytes), disk).CombinedOutput()
	if err != nil {
		return fmt.Errorf("giving a disk %d kB: %w: %s", kilobytes, err, said)
	}
	return nil
}
