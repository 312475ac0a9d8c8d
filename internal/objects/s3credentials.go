// This file finds the settings and the credentials of an S3 store where the AWS tools find them: their own library
// looks.

package objects

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

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

// Retrieve implements credentials.Provider.
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

// RetrieveWithCredContext implements credentials.Provider.
func (k keys) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	return k.Retrieve()
}

// IsExpired implements credentials.Provider: the source is asked each time.
func (keys) IsExpired() bool { return true }
