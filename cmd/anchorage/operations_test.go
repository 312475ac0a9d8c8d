package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"anchorage/internal/metrics"
)

// opsFolder holds the examples of nightly runs.
const opsFolder = "../../examples/ops"

// hopeless are the codes that no repetition mends, as docs/operations.md says.
var hopeless = []string{"10", "11", "12", "14", "16"}

// TestOperationsExamples checks the examples of nightly runs with the programs that read them, where the machine has
// them.
func TestOperationsExamples(t *testing.T) {
	for _, check := range [][]string{
		{"bash", "-n", "cron.sh"},
		{"python3", "-c", "import ast; ast.parse(open('airflow_dag.py').read())"},
		{"systemd-analyze", "verify", "UNITS/anchorage-update.service", "UNITS/anchorage-update.timer"},
	} {
		if _, err := exec.LookPath(check[0]); err != nil {
			t.Logf("there is no %s", check[0])
			continue
		}
		units := t.TempDir()
		for _, name := range []string{"anchorage-update.service", "anchorage-update.timer"} {
			unit := read(t, filepath.Join("systemd", name))
			unit = strings.Replace(unit, "/usr/local/bin/anchorage", "/bin/true", 1) // which must exist
			if err := os.WriteFile(filepath.Join(units, name), []byte(unit), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for i := range check {
			check[i] = strings.Replace(check[i], "UNITS", units, 1)
		}
		command := exec.Command(check[0], check[1:]...)
		command.Dir = opsFolder
		if output, err := command.CombinedOutput(); err != nil {
			t.Errorf("%v: %v: %s", check, err, output)
		}
	}
}

// read returns the text of an example.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(opsFolder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// All examples agree on what is complete and what is not tried again.
func TestOperationsExamplesAgree(t *testing.T) {
	var job struct {
		Spec struct {
			JobTemplate struct {
				Spec struct {
					PodFailurePolicy struct {
						Rules []struct {
							Action      string
							OnExitCodes struct{ Values []string } `yaml:"onExitCodes"`
						}
					} `yaml:"podFailurePolicy"`
				}
			} `yaml:"jobTemplate"`
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "kubernetes.yaml")), &job); err != nil {
		t.Fatal(err)
	}
	rules := job.Spec.JobTemplate.Spec.PodFailurePolicy.Rules
	if len(rules) == 0 || rules[0].Action != "FailJob" || strings.Join(rules[0].OnExitCodes.Values,
		" ") != strings.Join(hopeless, " ") {
		t.Errorf("the rules of Kubernetes are %+v", rules)
	}
	for name, want := range map[string][]string{
		"systemd/anchorage-update.service": {"RestartPreventExitStatus=" + strings.Join(hopeless, " ") + "\n",
			"SuccessExitStatus=3 15 99\n"},
		"airflow_dag.py": {"HOPELESS = {" + strings.Join(hopeless, ", ") + "}", "COMPLETE = {0, 3, 15}",
			"NOTHING_NEW = 99"},
		"kubernetes.yaml":          {"3 | 15 | 99) exit 0 ;;"},
		"cron.sh":                  {"1 | 13) ;;"},
		"../../docs/operations.md": {"must not retry 10, 11, 14 and 16"},
	} {
		for _, part := range want {
			if !strings.Contains(read(t, name), part) {
				t.Errorf("%s lacks %q", name, part)
			}
		}
	}
}

// The alerts of the page for operators are YAML, and name metrics that exist.
func TestOperationsAlerts(t *testing.T) {
	page := read(t, "../../docs/operations.md")
	_, after, _ := strings.Cut(page, "```yaml\n")
	text, _, found := strings.Cut(after, "```")
	var alerts struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal([]byte(text), &alerts); err != nil || !found || len(alerts.Groups) != 1 ||
		len(alerts.Groups[0].Rules) < 3 {
		t.Fatalf("%v: %+v", err, alerts)
	}
	for _, rule := range alerts.Groups[0].Rules {
		for _, name := range regexp.MustCompile(metrics.Prefix+`(\w+)`).FindAllStringSubmatch(rule.Expr, -1) {
			if !strings.Contains(page, "`"+name[1]+"`") {
				t.Errorf("the alert %s names %s", rule.Alert, name[0])
			}
		}
	}
}

// cron.sh tries again what may pass by itself, is silent when all is well, and lets no two runs overlap.
func TestOperationsCron(t *testing.T) {
	for _, program := range []string{"bash", "flock"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s", program)
		}
	}
	script, err := filepath.Abs(filepath.Join(opsFolder, "cron.sh"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	const program = "#!/usr/bin/env bash\necho \"$*\" >>calls\nread -r code <codes\nsed -i 1d codes\nexit \"$code\"\n"
	if err := os.WriteFile("fake", []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(codes string) (code, calls int, output string) {
		t.Helper()
		if err := errors.Join(os.WriteFile("codes", []byte(strings.ReplaceAll(codes, " ", "\n")), 0o600),
			os.WriteFile("calls", nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		command := exec.Command("bash", script)
		command.Env = append(os.Environ(), "ANCHORAGE=./fake", "STORE=store", "SHARDS=shards", "METRICS=m.prom", "LOG=log",
			"LOCK=lock", "PAUSE=0")
		text, err := command.CombinedOutput()
		if failed := new(exec.ExitError); err != nil && !errors.As(err, &failed) {
			t.Fatal(err)
		}
		made, err := os.ReadFile("calls")
		if err != nil {
			t.Fatal(err)
		}
		return command.ProcessState.ExitCode(), strings.Count(string(made), "update store shards"), string(text)
	}
	for _, test := range []struct {
		codes       string
		code, calls int
	}{
		{"0 ", 0, 1}, {"99 ", 0, 1}, {"3 ", 3, 1}, {"16 ", 16, 1}, {"12 ", 12, 1}, {"1 13 0 ", 0, 3}, {"1 1 1 ", 1, 3},
		{"13 99 ", 0, 2}, {"1 11 ", 11, 2},
	} {
		code, calls, output := run(test.codes)
		if code != test.code || calls != test.calls || (output == "") != (code == 0) || code != 0 &&
			!strings.Contains(output, "code "+strconv.Itoa(code)) {
			t.Errorf("codes %s: the script ends with %d after %d runs: %s", test.codes, code, calls, output)
		}
	}
	lock := exec.Command("flock", "lock", "cat")
	held, err := lock.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	echo, err := lock.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := lock.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := held.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := echo.Read(make([]byte, 1)); err != nil { // the lock is held now
		t.Fatal(err)
	}
	if code, calls, output := run("0 "); code != 14 || calls != 0 || !strings.Contains(output, "still runs") {
		t.Errorf("beside another run the script ends with %d after %d runs: %s", code, calls, output)
	}
	if err := errors.Join(held.Close(), lock.Wait()); err != nil {
		t.Error(err)
	}
}

// The examples use flags that update has, once there is such a command.
func TestOperationsFlags(t *testing.T) {
	named := regexp.MustCompile(`--([a-z][a-z-]+)`)
	for _, command := range commands() {
		if command.CommandPath() != "anchorage update" {
			continue
		}
		for name, part := range map[string]string{"systemd/anchorage-update.service": `(?s)ExecStart=.*?\n\n?#`,
			"cron.sh":         `(?s)"\$ANCHORAGE" update.*?>>`,
			"kubernetes.yaml": `(?s)anchorage update.*?\|\|`, "airflow_dag.py": `(?s)"update", STORE.*?\]`} {
			call := regexp.MustCompile(part).FindString(read(t, name))
			flags := named.FindAllStringSubmatch(call, -1)
			if len(flags) < 2 {
				t.Errorf("%s calls update like %q", name, call)
			}
			for _, flag := range flags {
				if command.Flags().Lookup(flag[1]) == nil && command.InheritedFlags().Lookup(flag[1]) == nil {
					t.Errorf("%s: update has no flag --%s", name, flag[1])
				}
			}
		}
	}
}
