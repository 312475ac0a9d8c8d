// This file finds the credentials of an S3 store where the AWS tools find them.

package objects

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
	"gopkg.in/ini.v1"
)

const (
	// machineTime is how long the machine's own service of credentials may take. Outside of a cloud no service answers.
	machineTime = 3 * time.Second
	// serviceTime is how long a service that hands out credentials may take.
	serviceTime = 30 * time.Second
	// sessionName is what AWS's logs call a session of a role that names none.
	sessionName = "anchorage"
)

// settings are the sections of the files of the AWS tools, by profile: those of config, overridden by those of
// credentials.
type settings map[string]map[string]string

// of returns a setting of a profile; "" without one.
func (s settings) of(profile, key string) string { return s[profile][key] }

// readSettings reads the files of the AWS tools. Files that do not exist are empty.
func readSettings() (settings, error) {
	all := make(settings)
	for _, file := range []struct{ variable, name, prefix string }{
		{"AWS_CONFIG_FILE", "config", "profile "},
		{"AWS_SHARED_CREDENTIALS_FILE", "credentials", ""},
	} {
		path := os.Getenv(file.variable)
		if path == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				continue
			}
			path = filepath.Join(home, ".aws", file.name)
		}
		parsed, err := ini.LoadSources(ini.LoadOptions{Loose: true, SkipUnrecognizableLines: true,
			AllowNestedValues: true}, path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, section := range parsed.Sections() {
			profile, named := strings.CutPrefix(section.Name(), file.prefix)
			if !named && section.Name() != "default" {
				continue // sessions and services of config
			}
			profile = strings.TrimSpace(profile)
			if all[profile] == nil {
				all[profile] = make(map[string]string)
			}
			for _, key := range section.Keys() {
				all[profile][key.Name()] = key.String()
			}
		}
	}
	return all, nil
}

// credentials returns the credentials for requests: those of the environment, else of the profile, else of the machine.
// They are looked up at the first request, and again when they have expired.
func (o *s3Options) credentials(region string) (*credentials.Credentials, error) {
	if !o.named {
		if firstSet("AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY") != "" {
			return credentials.NewEnvAWS(), nil
		}
		if os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE") != "" {
			return credentials.New(&credentials.IAM{Client: &http.Client{Timeout: serviceTime}, Region: region}), nil
		}
	}
	provider, err := o.settings.provider(o.profile, region, nil)
	if err != nil {
		return nil, err
	}
	if provider == nil {
		if o.named || o.profile != "default" {
			return nil, fmt.Errorf("profile %q of the AWS tools has no credentials", o.profile)
		}
		provider = &machine{machineRole(region)}
	}
	return credentials.New(provider), nil
}

// provider returns what gets the credentials of a profile; nil if it has none. within are the profiles that name this
// one as their source.
func (s settings) provider(profile, region string, within []string) (credentials.Provider, error) {
	section := s[profile]
	switch {
	case section["role_arn"] == "" || section["aws_access_key_id"] != "" && section["source_profile"] == "":
		for _, key := range []string{"aws_access_key_id", "sso_session", "sso_start_url", "sso_account_id",
			"credential_process"} {
			if section[key] != "" {
				return &credentials.FileAWSCredentials{Profile: profile}, nil
			}
		}
		return nil, nil
	case section["mfa_serial"] != "":
		return nil, fmt.Errorf("profile %q asks for a code (mfa_serial): export credentials to the environment with the "+
			"AWS tools", profile)
	case section["web_identity_token_file"] != "":
		provider := &credentials.IAM{Client: &http.Client{Timeout: serviceTime}, Region: region}
		provider.EKSIdentity.TokenFile = section["web_identity_token_file"]
		provider.EKSIdentity.RoleARN = section["role_arn"]
		provider.EKSIdentity.RoleSessionName = first(section["role_session_name"], sessionName)
		return provider, nil
	}
	source, err := s.source(profile, region, within)
	if err != nil {
		return nil, err
	}
	return &role{source: credentials.New(source), STSAssumeRole: credentials.STSAssumeRole{
		Client: &http.Client{Timeout: serviceTime}, STSEndpoint: tokenService(region),
		Options: credentials.STSAssumeRoleOptions{
			RoleARN: section["role_arn"], ExternalID: section["external_id"], Location: region,
			RoleSessionName: first(section["role_session_name"], sessionName),
		},
	}}, nil
}

// source returns what gets the credentials by which a profile takes its role.
func (s settings) source(profile, region string, within []string) (credentials.Provider, error) {
	section := s[profile]
	switch section["credential_source"] {
	case "Environment":
		return &credentials.EnvAWS{}, nil
	case "Ec2InstanceMetadata", "EcsContainer":
		return &machine{machineRole(region)}, nil
	}
	name := section["source_profile"]
	for _, above := range within {
		if above == name {
			return nil, fmt.Errorf("profile %q is its own source", name)
		}
	}
	if name == profile { // its own keys
		return &credentials.FileAWSCredentials{Profile: name}, nil
	}
	source, err := s.provider(name, region, append(within, profile))
	if err == nil && source == nil {
		err = fmt.Errorf("profile %q has a role, but its source_profile %q has no credentials", profile, name)
	}
	return source, err
}

// tokenService returns the URL of the service that hands out credentials of roles.
func tokenService(region string) string {
	if url := firstSet("AWS_ENDPOINT_URL_STS"); url != "" {
		return url
	}
	host := "https://sts." + region + ".amazonaws.com"
	if strings.HasPrefix(region, "cn-") {
		host += ".cn"
	}
	return host
}

// role gets the credentials of a role with those of its source.
type role struct {
	source *credentials.Credentials
	credentials.STSAssumeRole
}

// RetrieveWithCredContext implements credentials.Provider.
func (r *role) RetrieveWithCredContext(c *credentials.CredContext) (credentials.Value, error) {
	value, err := r.source.GetWithContext(c)
	if err != nil {
		return value, err
	}
	r.Options.AccessKey, r.Options.SecretKey, r.Options.SessionToken = value.AccessKeyID, value.SecretAccessKey,
		value.SessionToken
	return r.STSAssumeRole.RetrieveWithCredContext(c)
}

// Retrieve implements credentials.Provider.
func (r *role) Retrieve() (credentials.Value, error) { return r.RetrieveWithCredContext(nil) }

// errNoCredentials means that no place has credentials.
var errNoCredentials = errors.New("no credentials: neither the environment nor the files of the AWS tools have any, " +
	"and the machine has no role; " +
	"for a public bucket write ?anonymous=true at the end of the URL")

// machine gets the credentials of the role of this machine or container.
type machine struct{ *credentials.IAM }

// machineRole returns what asks the service of this machine or container.
func machineRole(region string) *credentials.IAM {
	return &credentials.IAM{Client: &http.Client{Timeout: machineTime}, Region: region,
		Endpoint: os.Getenv("AWS_EC2_METADATA_SERVICE_ENDPOINT")}
}

// RetrieveWithCredContext implements credentials.Provider.
func (m *machine) RetrieveWithCredContext(c *credentials.CredContext) (credentials.Value, error) {
	container := firstSet("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI") != ""
	if container {
		m.Endpoint = ""
	} else if strings.EqualFold(os.Getenv("AWS_EC2_METADATA_DISABLED"), "true") {
		return credentials.Value{}, &Refusal{Err: errNoCredentials, Lasting: true}
	}
	value, err := m.IAM.RetrieveWithCredContext(c)
	if err != nil && !container {
		return value, &Refusal{Err: fmt.Errorf("%w (%v)", errNoCredentials, err), Lasting: true}
	}
	return value, err
}

// Retrieve implements credentials.Provider.
func (m *machine) Retrieve() (credentials.Value, error) { return m.RetrieveWithCredContext(nil) }
