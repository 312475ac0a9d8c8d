// This file links the drivers of the object stores that the program reads and writes. The build tag nocloud leaves them out:
// they take longer to build than everything else.

//go:build !nocloud

package main

import (
	_ "gocloud.dev/blob/azureblob"
	_ "gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob"
)
