// This file asks macOS how much room a file system has.

package process

import "golang.org/x/sys/unix"

// FreeSpace returns how many bytes a user without privileges can still write below a folder. known is false if the
// system does not say.
func FreeSpace(folder string) (free int64, known bool) {
	var fs unix.Statfs_t
	if unix.Statfs(folder, &fs) != nil || fs.Blocks == 0 || fs.Bsize == 0 {
		return 0, false
	}
	return int64(min(fs.Bavail, 1<<62/uint64(fs.Bsize))) * int64(fs.Bsize), true
}
