// This file writes, reads and removes the checkpoints of variational inference: a file, and the one before it.

package fit

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"anchorage/bayes"
	"anchorage/internal/durable"
	"anchorage/model"
)

const (
	// earlierEnding ends the name of the checkpoint before the last one.
	earlierEnding = ".before"
	// savingEnding ends the name of a file that says that the result is about to be put at its place.
	savingEnding = ".saving"
)

// save writes a checkpoint. The last one stays under another name.
func (o *BayesOptions) save(f *bayes.Fitter, input string) error {
	file, err := durable.NewWriter(o.Checkpoint)
	if err != nil {
		return err
	}
	defer file.Abort()
	if err := f.Save(file, input); err != nil {
		return err
	}
	if err := durable.Keep(o.Checkpoint, o.Checkpoint+earlierEnding); err != nil && !errors.Is(err, fs.ErrNotExist) {
		o.Run.log().Warn("the checkpoint before cannot be kept", "checkpoint", o.Checkpoint, "error", err)
	}
	return file.Commit()
}

// restore goes on from the last checkpoint, or from the one before if that is damaged or cannot be read.
func (o *BayesOptions) restore(f *bayes.Fitter, input string) error {
	path := o.Checkpoint
	file, err := openWhole(path)
	if errors.Is(err, fs.ErrNotExist) {
		return noCheckpoint(path)
	}
	if err != nil {
		earlier, older := openWhole(path + earlierEnding)
		if older != nil {
			return o.unusable(path, err)
		}
		o.Run.log().Warn("the checkpoint cannot be read: using the one before", "checkpoint", path, "error", err)
		file, path = earlier, path+earlierEnding
	}
	defer file.Close()
	if err := f.Restore(file, input); err != nil {
		return o.unusable(path, err)
	}
	return nil
}

// unusable returns the error about a checkpoint that cannot be resumed.
func (o *BayesOptions) unusable(path string, err error) error {
	if errors.Is(err, bayes.ErrCheckpoint) {
		return &model.InputError{Path: path, Fault: BadCheckpoint, Reason: "cannot be resumed: " + err.Error()}
	}
	return err
}

// openWhole opens a checkpoint and compares it with its checksum.
func openWhole(path string) (*os.File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if err = bayes.VerifyCheckpoint(file); err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// NoteSaving notes beside the checkpoint at path that the result of its run is about to be put at its place. Without a checkpoint there is
// nothing to note.
func NoteSaving(path string) error {
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	return durable.WriteFile(path+savingEnding, func(io.Writer) error { return nil })
}

// ClearSaving forgets what NoteSaving has noted. If the result is at its place, it first removes the checkpoint of a run that died after it had noted that.
func ClearSaving(path string, made bool) error {
	_, err := os.Lstat(path + savingEnding)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && made {
		return RemoveCheckpoint(path)
	}
	return errors.Join(err, durable.Remove(path+savingEnding))
}

// RemoveCheckpoint removes the checkpoint at path, the one before, and what NoteSaving has noted.
func RemoveCheckpoint(path string) error {
	// The note goes last: until then it says that all of them may go.
	for _, ending := range []string{earlierEnding, "", savingEnding} {
		if err := durable.Remove(path + ending); err != nil {
			return err
		}
	}
	return nil
}
