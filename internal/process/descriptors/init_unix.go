//go:build unix

// This file looks at the limit when the package is initialized.

package descriptors

import "syscall"

func init() {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil || limit.Cur >= Least {
		return
	}
	digit := string([]byte{'0' + byte(limit.Cur)})
	sentence := "anchorage: only " + digit + " files may be open at a time, and at least 10 are needed: raise the limit " +
		"(ulimit -n)\n"
	_, _ = syscall.Write(2, []byte(sentence)) // there is no other place to report it
	syscall.Exit(12)
}
