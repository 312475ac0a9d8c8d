// This file brings in the object stores that the program reads and writes. The build tag nocloud leaves them out, for
// builds that only check whether everything compiles: the drivers take longer to build than all the rest.

//go:build !nocloud

package main

import (
	_ "gocloud.dev/blob/azureblob"
	_ "gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob"
)
