#!/usr/bin/env python3
"""Checks reports of the searches of a run (--hocket_report) against their schema.

Usage: check_report.py FOLDER_OF_SCHEMAS REPORT...
"""
import json
import pathlib
import sys


def read(path):
    return json.loads(pathlib.Path(path).read_text(encoding="utf-8"))


schema = read(f"{sys.argv[1]}/report.schema.json")
of_failures = read(f"{sys.argv[1]}/failure-document.schema.json")
assert schema["$defs"]["model"] == of_failures["$defs"]["model"], "both schemas say the same of a model"
reports = [read(name) for name in sys.argv[2:]]
assert reports and all(report["searches"] for report in reports), "reports are given, and have searches"
try:
    import jsonschema
except ImportError:
    print("no schema is checked: python3-jsonschema is not installed")
else:
    for report in reports:
        jsonschema.Draft202012Validator(schema).validate(report)
