// This file says what helps when the program has no driver for a store.

package main

import (
	"errors"

	"anchorage/internal/objects"
)

// driverAdvice is what follows the message of an *objects.DriverError, by the kind of URL.
var driverAdvice = map[string]string{
	"gs": ": build it with Google's driver, in the folder clouds of the source (docs/storage.md), or reach the bucket as " +
		"s3://BUCKET/KEY?endpoint=https://storage.googleapis.com with an HMAC key in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
	"azblob": ": build it with Azure's driver, in the folder clouds of the source (docs/storage.md)",
}

// storeAdvice returns what to add to an error of a store; "" if there is nothing to say.
func storeAdvice(err error) string {
	var driver *objects.DriverError
	if errors.As(err, &driver) {
		return driverAdvice[driver.Scheme]
	}
	return ""
}
