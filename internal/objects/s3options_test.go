package objects

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
)

// alone clears the environment of whatever leads to a store, and returns a function that writes a file of the AWS
// tools.
func alone(t *testing.T) (write func(name, content string)) {
	t.Helper()
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "AWS_") {
			t.Setenv(name, "")
		}
	}
	folder := t.TempDir()
	t.Setenv("AWS_CONFIG_FILE", filepath.Join(folder, "config"))
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", filepath.Join(folder, "credentials"))
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	return func(name, content string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestS3Options reads queries, with and without an environment and files.
func TestS3Options(t *testing.T) {
	write := alone(t)
	write("config", "[default]\nregion = r1\n[profile p]\nregion=r2\nendpoint_url = http://e\ns3 =\n  addressing_style "+
		"= path\n[sso-session s]\nregion = r9\n")
	o, err := parseS3Options("use_path_style=true&anonymous=true&ssetype=aws:kms&kmskeyid=key")
	if err != nil || o.region != "r1" || !o.amazon() || !o.anonymous || o.lookup != minio.BucketLookupPath ||
		o.encryption == nil {
		t.Errorf("default profile: %+v, %v", o, err)
	}
	if o, err = parseS3Options("profile=p"); err != nil || o.region != "r2" || o.endpoint != "http://e" || o.amazon() ||
		o.lookup != minio.BucketLookupAuto {
		t.Errorf("profile p: %+v, %v", o, err)
	}
	t.Setenv("AWS_REGION", "r3")
	t.Setenv("AWS_ENDPOINT_URL_S3", "https://s3.eu-west-1.amazonaws.com")
	if o, err = parseS3Options("profile=p&use_path_style=false"); err != nil || o.region != "r3" || !o.amazon() ||
		o.lookup != minio.BucketLookupDNS {
		t.Errorf("environment: %+v, %v", o, err)
	}
	if o, err = parseS3Options("region=r4&endpoint=h:1"); err != nil || o.region != "r4" || o.endpoint != "h:1" {
		t.Errorf("query: %+v, %v", o, err)
	}
	for _, query := range []string{"regoin=x", "anonymous=perhaps", "ssetype=x", "a=%zz"} {
		if _, err := parseS3Options(query); err == nil {
			t.Errorf("%s is accepted", query)
		}
	}
}

// TestCredentials finds credentials in every place, in the order of the AWS tools.
func TestCredentials(t *testing.T) {
	write := alone(t)
	tokens := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		key := r.Form.Get("RoleArn") + "+" + r.Form.Get("ExternalId") + r.Form.Get("WebIdentityToken")
		if auth := r.Header.Get("Authorization"); auth != "" {
			key += "<" + strings.Split(strings.SplitAfter(auth, "Credential=")[1], "/")[0]
		}
		action := r.Form.Get("Action")
		w.Write([]byte("<" + action + `Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><` + action +
			"Result><Credentials><AccessKeyId>" + strings.ReplaceAll(key, "<", "&lt;") +
			"</AccessKeyId><SecretAccessKey>s</SecretAccessKey><Expiration>" +
			time.Now().Add(time.Hour).UTC().Format(time.RFC3339) +
			"</Expiration></Credentials></" + action + "Result></" + action + "Response>"))
	}))
	defer tokens.Close()
	t.Setenv("AWS_ENDPOINT_URL_STS", tokens.URL)
	write("credentials", "[default]\naws_access_key_id = file\naws_secret_access_key = s\n[keys]\naws_access_key_id = "+
		"other\naws_secret_access_key = s\n")
	write("config", `[profile taken]
role_arn = arn
external_id = 7
source_profile = keys
[profile chain]
role_arn = second
source_profile = taken
[profile loop]
role_arn = x
source_profile = pool
[profile pool]
role_arn = x
source_profile = loop
[profile code]
role_arn = x
source_profile = keys
mfa_serial = 1
[profile empty]
region = r
`)
	key := func(query string) (string, error) {
		o, err := parseS3Options(query)
		if err != nil {
			return "", err
		}
		keys, err := o.credentials(t.Context(), "us-east-1")
		if err != nil {
			return "", err
		}
		value, err := keys.GetWithContext(nil)
		return value.AccessKeyID, err
	}
	for query, want := range map[string]string{"": "file", "profile=keys": "other", "profile=taken": "arn+7<other",
		"profile=chain": "second+<arn+7<other"} {
		if got, err := key(query); got != want || err != nil {
			t.Errorf("%q: credentials of %q, %v; want %q", query, got, err, want)
		}
	}
	for query, want := range map[string]string{
		"profile=loop": "profile loop", "profile=code": "MFA", "profile=empty": "no credentials",
		"profile=none": "shared config profile, none",
	} {
		if got, err := key(query); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: credentials of %q, %v; want an error with %q", query, got, err, want)
		}
	}
	t.Setenv("AWS_ACCESS_KEY_ID", "environment")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	for query, want := range map[string]string{"": "environment", "profile=keys": "other"} {
		if got, err := key(query); got != want || err != nil {
			t.Errorf("%q beside the environment: credentials of %q, %v; want %q", query, got, err, want)
		}
	}
}

// TestMachine wants one lasting error where nothing has credentials.
func TestMachine(t *testing.T) {
	alone(t)
	o, err := parseS3Options("")
	if err != nil {
		t.Fatal(err)
	}
	keys, err := o.credentials(t.Context(), "us-east-1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := keys.GetWithContext(nil); !errors.Is(err, errNoCredentials) || passing(err) {
		t.Errorf("no credentials anywhere: %v", err)
	}
}

// TestConditional refuses to create objects on a store that ignores the condition, and reads from it.
func TestConditional(t *testing.T) {
	s, root := serve(t)
	inner := s.handler
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("If-None-Match")
		inner.ServeHTTP(w, r)
	})
	if err := Put(t.Context(), root.At("m"), []byte("1"), nil); err == nil || !strings.Contains(err.Error(),
		"ignores If-None-Match") {
		t.Errorf("created: %v", err)
	}
	if info := store(t, root.At("x"), []byte("1")); info.Size != 1 {
		t.Errorf("written: %+v", info)
	}
}

// TestS3Anonymous sends requests without a signature, and others with one.
func TestS3Anonymous(t *testing.T) {
	alone(t)
	s, root := serve(t)
	store(t, root.At("x"), []byte("1"))
	inner, signed := s.handler, 0
	s.handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			signed++
		}
		inner.ServeHTTP(w, r)
	})
	for query, want := range map[string]int{root.Query: 1, root.Query + "&anonymous=true": 0} {
		signed = 0
		place := root.At("x")
		place.Query = query
		if _, err := Stat(t.Context(), place, nil); err != nil || signed != want {
			t.Errorf("%s: %v, %d signed requests, want %d", query, err, signed, want)
		}
	}
}
