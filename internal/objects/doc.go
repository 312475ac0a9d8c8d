// Package objects reads and writes objects of stores: s3://BUCKET/KEY, gs://BUCKET/KEY and azblob://CONTAINER/KEY.
//
// A URL may end in a query, such as ?endpoint=http://localhost:9000&use_path_style=true, which says how to reach the
// store. Everything found from the URL keeps the query. Keys are used as written, without percent encoding. Credentials
// come from the environment. S3 and stores that speak its protocol need nothing else; drivers of the other stores
// register themselves (module anchorage/cmd/clouds).
//
// A request that fails for a reason that may pass is repeated a few times, after growing pauses. The caller's Warn is
// told each time. A Reader belongs to one goroutine; everything else may be used by several.
package objects
