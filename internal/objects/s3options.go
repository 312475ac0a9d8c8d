// This file reads from the query of a URL, from the environment and from the files of the AWS tools how to reach an S3
// store, and finds its credentials.

package objects

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/encrypt"
)

// usualRegion is what stores other than Amazon's take for their region.
const usualRegion = "us-east-1"

// amazonHost is where Amazon's buckets are, whatever their region.
const amazonHost = "s3.amazonaws.com"

// s3Options say how to reach an S3 store.
type s3Options struct {
	endpoint string // URL; empty for Amazon
	region   string // empty if unknown
	// of the files of the AWS tools, if the URL names one; the environment's credentials do not count then
	profile    string
	lookup     minio.BucketLookupType
	anonymous  bool
	encryption encrypt.ServerSide
	keyID      string      // of encryption by KMS
	trusted    *tls.Config // with the certificates of AWS_CA_BUNDLE
}

// s3Queries are the parameters of a query. Each changes options by its value.
var s3Queries = map[string]func(o *s3Options, value string) error{
	"region":         func(o *s3Options, value string) error { o.region = value; return nil },
	"endpoint":       func(o *s3Options, value string) error { o.endpoint = value; return nil },
	"profile":        func(o *s3Options, value string) error { o.profile = value; return nil },
	"use_path_style": pathStyle,
	"anonymous": func(o *s3Options, value string) (err error) {
		o.anonymous, err = strconv.ParseBool(value)
		return err
	},
	"kmskeyid": func(o *s3Options, value string) error { o.keyID = value; return nil },
	"ssetype":  encryption,
}

// pathStyle says whether the name of the bucket is in the path rather than in the host name.
func pathStyle(o *s3Options, value string) error {
	path, err := strconv.ParseBool(value)
	o.lookup = minio.BucketLookupDNS
	if path {
		o.lookup = minio.BucketLookupPath
	}
	return err
}

// encryption says how the store encrypts what is written.
func encryption(o *s3Options, value string) (err error) {
	switch value {
	case "AES256":
		o.encryption = encrypt.NewSSE()
	case "aws:kms":
		o.encryption, err = encrypt.NewSSEKMS(o.keyID, nil)
	default:
		err = errors.New("AES256 and aws:kms are known")
	}
	return err
}

// parseS3Options reads a query, and takes what it leaves open from the environment and the files of the AWS tools.
func parseS3Options(query string) (s3Options, error) {
	var o s3Options
	values, err := url.ParseQuery(query)
	if err != nil {
		return o, err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) { // kmskeyid before ssetype
		set := s3Queries[name]
		if set == nil {
			return o, fmt.Errorf("unknown parameter %q in the query: known are %s", name,
				strings.Join(slices.Sorted(maps.Keys(s3Queries)), ", "))
		}
		if err := set(&o, values.Get(name)); err != nil {
			return o, fmt.Errorf("parameter %s=%s: %w", name, values.Get(name), err)
		}
	}
	known, err := o.load(context.Background())
	if err != nil {
		return o, err
	}
	o.region = cmp.Or(o.region, known.Region)
	o.endpoint = cmp.Or(o.endpoint, os.Getenv("AWS_ENDPOINT_URL_S3"), aws.ToString(known.BaseEndpoint))
	if client, ok := known.HTTPClient.(*awshttp.BuildableClient); ok {
		o.trusted = client.GetTransport().TLSClientConfig
	}
	return o, nil
}

// amazon reports whether the store is Amazon's.
func (o *s3Options) amazon() bool {
	return o.endpoint == "" || strings.Contains(o.endpoint, ".amazonaws.com")
}

// client returns a client for a bucket. It makes no request.
func (o *s3Options) client(ctx context.Context) (*minio.Client, error) {
	host, secure := amazonHost, true
	if o.endpoint != "" {
		host = strings.TrimRight(o.endpoint, "/")
		if scheme, rest, found := strings.Cut(host, "://"); found {
			host, secure = rest, scheme == "https"
		}
	}
	region := o.region // where it is empty, the client asks Amazon, once, in which region the bucket is
	if o.endpoint != "" {
		region = cmp.Or(region, usualRegion)
	}
	transport, err := minio.DefaultTransport(secure)
	if err != nil {
		return nil, err
	}
	if secure && o.trusted != nil {
		transport.TLSClientConfig = o.trusted
	}
	keys := credentials.NewStatic("", "", "", credentials.SignatureAnonymous)
	if !o.anonymous {
		if keys, err = o.credentials(ctx, cmp.Or(region, usualRegion)); err != nil {
			return nil, &Refusal{Err: err, Lasting: true}
		}
	}
	client, err := minio.New(host, &minio.Options{
		Creds: keys, Secure: secure, Region: region, BucketLookup: o.lookup, Transport: undated{transport},
		MaxRetries: 1, // this package repeats requests, and says so
	})
	if err != nil {
		return nil, &Refusal{Err: err, Lasting: true}
	}
	return client, nil
}

// undated adds the zero time to answers that say nothing about the time of an object: the client refuses those.
type undated struct{ http.RoundTripper }

func (u undated) RoundTrip(request *http.Request) (*http.Response, error) {
	answer, err := u.RoundTripper.RoundTrip(request)
	if err == nil && answer.Header.Get("Last-Modified") == "" {
		answer.Header.Set("Last-Modified", time.Time{}.Format(http.TimeFormat))
	}
	return answer, err
}

// serviceTime is how long a service that hands out credentials may take.
const serviceTime = 30 * time.Second

// errNoCredentials means that no place has credentials.
var errNoCredentials = errors.New("no credentials: for a public bucket write ?anonymous=true at the end of the URL")

// load reads the environment and the files of the AWS tools. It makes no request.
func (o *s3Options) load(ctx context.Context, options ...func(*config.LoadOptions) error) (aws.Config, error) {
	if o.profile != "" {
		options = append(options, config.WithSharedConfigProfile(o.profile))
	}
	return config.LoadDefaultConfig(ctx, options...)
}

// credentials returns the credentials for requests: those of the profile that the URL names, or of the environment, of
// the profile, or of the machine. They are looked up at the first request, and again when they have expired.
func (o *s3Options) credentials(ctx context.Context, region string) (*credentials.Credentials, error) {
	found, err := o.load(ctx, config.WithRegion(region))
	if err != nil {
		return nil, err
	}
	return credentials.New(keys{found.Credentials}), nil
}

// keys passes credentials on. Their source keeps them until they expire.
type keys struct{ source aws.CredentialsProvider }

func (k keys) Retrieve() (credentials.Value, error) {
	ctx, cancel := context.WithTimeout(context.Background(), serviceTime)
	defer cancel()
	found, err := k.source.Retrieve(ctx)
	if err != nil {
		return credentials.Value{}, &Refusal{Err: fmt.Errorf("%w (%v)", errNoCredentials, err), Lasting: true}
	}
	return credentials.Value{AccessKeyID: found.AccessKeyID, SecretAccessKey: found.SecretAccessKey,
		SessionToken: found.SessionToken, SignerType: credentials.SignatureV4}, nil
}

func (k keys) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	return k.Retrieve()
}

// IsExpired implements credentials.Provider: the source is asked each time.
func (keys) IsExpired() bool { return true }
