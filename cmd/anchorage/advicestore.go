// This file says what helps against errors of object stores, and of stores of documents and models.

package main

import (
	"errors"

	"anchorage/internal/objects"
	"anchorage/store"
)

// driverAdvice is what follows the message of an *objects.DriverError, by the kind of URL.
var driverAdvice = map[string]string{
	"gs": ": build it with Google's driver, in the folder cmd/clouds of the source (docs/storage.md), or reach the bucket as " +
		"s3://BUCKET/KEY?endpoint=https://storage.googleapis.com with an HMAC key in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
	"azblob": ": build it with Azure's driver, in the folder cmd/clouds of the source (docs/storage.md)",
}

// storeAdvice returns what to add to an error of a store; "" if there is nothing to say.
func storeAdvice(err error) string {
	var driver *objects.DriverError
	var kept *store.Error
	switch {
	case errors.As(err, &driver):
		return driverAdvice[driver.Scheme]
	case errors.As(err, &kept):
		return keptAdvice[kept.Fault]
	}
	return ""
}

// keptAdvice is what follows the message of a *store.Error.
var keptAdvice = map[store.Fault]string{
	store.Damaged:      ": anchorage store verify lists all that is damaged; anchorage store rollback goes back to a generation before; anchorage update with --rehash reads those of the given shards again of which the store has a damaged copy",
	store.Undated:      ": say with --date-pattern where it is, or give the date of the shards with --date",
	store.Emptied:      ": if the date is wrong, give the right one with --date or --date-pattern; if it is right, name the others with --remove",
	store.NoMatch:      ": leave --remove out, or look names up with anchorage store list --shards",
	store.NoGeneration: ": anchorage store list shows those that there are",
	store.Outdated:     ": run the command again",
	store.Dangling:     ": make the folder that it leads to, or give another path",
}

// storeUsage are the faults of a *store.Error that lie in the command line.
var storeUsage = map[store.Fault]bool{store.NoMatch: true, store.NoGeneration: true, store.Unnamed: true, store.BadDate: true, store.Dangling: true}
