// Package objects reads and writes what lies in object stores: s3://BUCKET/KEY, gs://BUCKET/KEY and azblob://CONTAINER/KEY.
//
// A URL may end in a query, such as ?endpoint=http://localhost:9000&use_path_style=true, which says how the store is
// reached; it belongs to all that is found from that URL. Keys are taken as they are written, without any percent
// encoding. Credentials are those of the environment. The drivers register themselves: a program imports
// gocloud.dev/blob/s3blob, gcsblob and azureblob, or those of them that it needs.
//
// Whatever fails for a reason that may pass is tried again, a bounded number of times after growing pauses, and reported
// to the Warn of the caller each time. A Reader belongs to one goroutine; everything else may be used by several.
package objects
