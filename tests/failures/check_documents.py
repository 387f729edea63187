#!/usr/bin/env python3
"""Checks documents of failures against the schema, and that they are consistent in themselves.

Usage: check_documents.py SCHEMA DOCUMENT...
"""
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:  # then only what a schema cannot say is checked
    jsonschema = None
    print("no schema is checked: python3-jsonschema is not installed")


def check(document):
    steps = document["steps"]
    threads = len(document["threads"])
    assert [step["step"] for step in steps] == list(range(1, len(steps) + 1)), "steps are numbered from 1"
    held = {}
    for step in steps:
        assert step["thread"] < threads and step.get("preempted", 0) < threads, step
        for before in step.get("after", []):
            assert before < step["step"], step
            assert steps[before - 1]["thread"] != step["thread"], step
            assert steps[before - 1]["object"] == step["object"], step
            assert step["writes"] or steps[before - 1]["writes"], step
        for store in [step.get("reads", 0), step.get("behind", 0), *step.get("newer", [])]:
            assert store < step["step"], step
            assert store == 0 or steps[store - 1]["writes"] and steps[store - 1]["object"] == step["object"], step
        if "newer" in step:
            assert ("reads" in step or "behind" in step) and step["newer"] and not set(step["newer"]) & set(step.get("after", [])), step
        locks = held.setdefault(step["thread"], [])
        if "gives" in step:
            locks.remove(step["gives"])
        if "takes" in step:
            locks.append(step["takes"])
    assert all(first <= last <= len(steps) for first, last in document["shown"])
    if steps:
        assert "fails" in steps[document["fails_at"] - 1], "the failing step says what fails"


schema = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
documents = sys.argv[2:]
assert documents, "documents are given"
for name in documents:
    document = json.loads(pathlib.Path(name).read_text(encoding="utf-8"))
    if jsonschema is not None:
        # A schema in long arrays is slow: as many steps as a person would read say as much.
        shortened = dict(document, steps=document["steps"][:200] + document["steps"][-200:])
        jsonschema.Draft202012Validator(schema).validate(shortened)
    check(document)
