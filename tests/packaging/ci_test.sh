#!/usr/bin/env bash
# What docs/ci.md promises: the script of the action for GitHub, and the commands of the job for GitLab.
# Usage: ci_test.sh BUILD_FOLDER    with the programs of samples/
set -euo pipefail
build=$(realpath "$1")
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
unset ${!HOCKET_@} ${!GTEST_@} ${!GITHUB_@}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
fails=$build/samples/demo/ticket_test passes=$build/samples/channel_test

action() { # PROGRAM [ARGUMENTS]: in the root of the tree, as on GitHub
  status=0
  : >"$folder/outputs" && : >"$folder/summary"
  PROGRAM=$1 ARGUMENTS=${2:-} FAILURES="$folder/kept" TOOL=$build/tools/hocket GITHUB_ACTIONS=true \
    GITHUB_OUTPUT="$folder/outputs" GITHUB_STEP_SUMMARY="$folder/summary" .github/actions/hocket/run >"$folder/log" 2>&1 || status=$?
}
action "$passes" $'--seed 7\n-- --gtest_filter=CorrectChannel.*'
[[ $status -eq 0 && $(<"$folder/outputs") == $'status=0\nfailures=0\nsarif=' ]] || fail "a program that passes: $status, $(<"$folder/outputs"), $(<"$folder/log")"
action "$fails"
[[ $status -eq 1 ]] || fail "a program that fails should fail the step, not $status: $(<"$folder/log")"
grep -q '^::error title=Tickets.AreSoldOnce,file=samples/demo/ticket_test.cpp,line=[0-9]*::assertion failed: .*%0A' "$folder/log" ||
  fail "the failure should be shown at its line: $(<"$folder/log")"
[[ $(<"$folder/outputs") == $'status=1\nfailures=1\nsarif='"$folder/kept/hocket.sarif" ]] || fail "outputs: $(<"$folder/outputs")"
grep -q 'Tickets.AreSoldOnce' "$folder/summary" || fail "the summary should name the test"
grep -q '"uri": "samples/demo/ticket_test.cpp"' "$folder/kept/hocket.sarif" || fail "hocket.sarif should name the file in the tree"
action "$passes"  # beside the failure of another program
[[ $(<"$folder/outputs") == *$'failures=0\n'* ]] || fail "only failures of this run count: $(<"$folder/outputs")"
for file in report.json Tickets.AreSoldOnce.schedule.json pages/index.html; do [[ -s $folder/kept/$file ]] || fail "no $file is kept"; done

# The job for GitLab: its script and what comes after it.
job() { awk -v part="  $1:" '/^## GitLab/ {there = 1} there && /^```$/ {exit} there && $0 == part {inside = 1; next} inside && !/^    - / {inside = 0} inside' \
  docs/ci.md | sed 's/^    - //'; }
script=$(job script) after=$(job after_script)
[[ -n $script && -n $after ]] || fail "docs/ci.md has no job for GitLab"
mkdir -p "$folder/job/build"
ln -s "$fails" "$folder/job/build/tests"
(cd "$folder/job" && PATH=$build/tools:$PATH && { bash -c "$script" >../log 2>&1 && exit 9; [[ $? -eq 1 ]]; }) || fail "the script: $(<"$folder/log")"
(cd "$folder/job" && PATH=$build/tools:$PATH && bash -ec "$after") || fail "what comes after the script"
grep -q '<testcase name="AreSoldOnce"' "$folder/job/failures/junit.xml" || fail "no junit.xml"
[[ -s $folder/job/failures/hocket.sarif && -s $folder/job/failures/pages/index.html ]] || fail "no hocket.sarif, or no page"

if python3 -c 'import yaml' 2>/dev/null; then
  python3 - <<'END' || fail "what is no YAML"
import re, yaml
steps = yaml.safe_load(open(".github/actions/hocket/action.yml"))["runs"]["steps"]
assert all("shell" in step or "uses" in step for step in steps), steps
assert not any("${{" in step.get("run", "") for step in steps), "an input would be part of a script"
blocks = re.findall(r"```yaml\n(.*?)```", open("docs/ci.md").read(), re.S)
assert len(blocks) == 2
for block in blocks:
    yaml.safe_load(block)
END
else
  echo "the YAML is not read: python3-yaml is not installed"
fi
exit "$failed"
