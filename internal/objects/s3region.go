// This file finds out in which region a bucket of Amazon's is.

package objects

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"
)

const (
	// regionTime is how long Amazon may take to say where a bucket is.
	regionTime = 10 * time.Second
	// usualRegion is what stores other than Amazon's take for their region.
	usualRegion = "us-east-1"
)

// amazonURL is where Amazon says in which region a bucket is. Tests change it.
var amazonURL = "https://" + amazonHost

// regionOf returns the region of a bucket. If nothing names one, it asks Amazon, once and without credentials.
func (o *s3Options) regionOf(ctx context.Context, bucket string) (string, error) {
	if o.region != "" {
		return o.region, nil
	}
	if o.endpoint != "" {
		return usualRegion, nil
	}
	region, err := askRegion(ctx, bucket)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", &Refusal{Err: err, Means: fs.ErrNotExist, Lasting: true}
	case err != nil:
		return "", &Refusal{Lasting: true, Err: fmt.Errorf(
			"no region is set, and Amazon did not say where the bucket is (%w): set AWS_REGION, or write ?region=REGION at "+
				"the end of the URL", err)}
	}
	return region, nil
}

// askRegion asks Amazon for the region of a bucket. Amazon names it even if it refuses the request.
func askRegion(ctx context.Context, bucket string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, regionTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, amazonURL+"/"+bucket, nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	answer.Body.Close()
	region := answer.Header.Get("X-Amz-Bucket-Region")
	if answer.StatusCode == http.StatusNotFound {
		return "", fmt.Errorf("no bucket of this name at Amazon: %w", fs.ErrNotExist)
	}
	if region == "" {
		return "", errors.New(answer.Status)
	}
	return region, nil
}
