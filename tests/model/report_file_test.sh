#!/usr/bin/env bash
# The report of a run has the states of a small model, which its page draws. Usage: report_file_test.sh MODEL_TESTS
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tests=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$tests" --gtest_filter=ATestOfAModel.PassesIfTheModelDoes --hocket_report=report.json >output 2>&1 || { cat output; exit 1; }
found=$(tr -d '\n ' <report.json)
wanted='"model":{"states":[["aoutside","boutside","free"],["ainside","boutside","taken"],["aoutside","binside","taken"]],"transitions":[{"from":0,"process":"a","does":"testandtake","to":1},'
[[ $found == *"$wanted"* ]] || { printf 'FAILED: the report has not\n%s\nbut\n%s\n' "$wanted" "$found"; exit 1; }
if command -v python3 >/dev/null; then
  "$tests" --gtest_filter='SavedPaths.*:ATestOfAModel.*:Cycles*' --hocket_report=more.json >output 2>&1 || { cat output; exit 1; }
  "$here/../failures/check_report.py" "$here/../../docs" report.json more.json
fi
