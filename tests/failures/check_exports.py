#!/usr/bin/env python3
"""Checks pages of failures, and what hocket export prints for them, against their documents, as the consumers
of the formats read it.

Usage: check_exports.py FOLDER    with NAME.json as hocket show --json prints it, and NAME.html, NAME.sarif, ...
"""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import zlib

try:
    import jsonschema
except ImportError:  # then only what a schema cannot say is checked
    jsonschema = None
    print("no schema of SARIF or trace events is checked: python3-jsonschema is not installed")


def check_schema(log, consumer):
    if jsonschema is None:
        return
    schema = pathlib.Path(__file__).parent / "consumers" / f"{consumer}.schema.json"
    jsonschema.Draft202012Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(log)


def lives(document):
    """The steps between which there is an order because a thread is created or joined."""
    own = {n: [step["step"] for step in document["steps"] if step["thread"] == n] for n in range(len(document["threads"]))}
    found = set()
    for n, thread in enumerate(document["threads"]):
        if not own[n]:
            continue
        before = [step for step in own.get(thread.get("creator"), []) if step <= thread["made_after"]]
        after = [step for step in own.get(thread.get("joiner"), []) if step > thread["joined_after"]]
        found |= {(step, own[n][0]) for step in before[-1:]} | {(own[n][-1], step) for step in after[:1]}
    return found


def check_sarif(text, document):
    log = json.loads(text)
    check_schema(log, "sarif")
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    (result,) = run["results"]
    assert result["ruleId"] in [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert document["headline"][0] in result["message"]["text"]
    (flow,) = result["codeFlows"]
    orders = [one["executionOrder"] for thread in flow["threadFlows"] for one in thread["locations"]]
    shown = [n for first, last in document["shown"] for n in range(first, last + 1)]
    assert sorted(orders) == shown, "each step that is shown is in the flow of one thread"
    for thread in flow["threadFlows"]:
        own = [one["executionOrder"] for one in thread["locations"]]
        assert own == sorted(own)
        assert {document["threads"][document["steps"][n - 1]["thread"]]["thread"] for n in own} == {thread["id"]}


def check_trace(text, document):
    log = json.loads(text)
    # A schema in long arrays is slow: as many events as have every kind say as much.
    check_schema(dict(log, traceEvents=log["traceEvents"][:300]), "trace")
    events = log["traceEvents"]
    slices = [event for event in events if event["ph"] == "X"]
    assert len(slices) == len(document["steps"])
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    starts = [event for event in events if event["ph"] == "s"]
    assert len(starts) == len(ends) == sum(len(step.get("after", [])) for step in document["steps"]) + len(lives(document))
    assert lives(document) <= {(start["ts"] // 10, ends[start["id"]]["ts"] // 10) for start in starts}, "threads begin and end"
    for start in starts:
        end = ends[start["id"]]
        assert start["ts"] < end["ts"] and start["tid"] != end["tid"]
        assert (start["name"], start["cat"]) == (end["name"], end["cat"]), "they are one arrow"
        for event in (start, end):  # an arrow begins and ends in a slice
            assert any(one["tid"] == event["tid"] and one["ts"] <= event["ts"] <= one["ts"] + one["dur"] for one in slices)


def check_shiviz(text, document):
    pattern, _, log = text.partition("\n\n")
    events = list(re.finditer(pattern.replace("(?<", "(?P<"), log))
    assert len(events) == len(document["steps"])
    clocks = []
    for event, step in zip(events, document["steps"]):
        clock = json.loads(event["clock"])
        own = [one for one, other in zip(clocks, document["steps"]) if other["thread"] == step["thread"]]
        assert clock[event["host"]] == len(own) + 1
        others = step.get("after", []) + [one for one, other in lives(document) if other == step["step"]]
        for before in own[-1:] + [clocks[number - 1] for number in others]:
            assert all(clock.get(host, 0) >= time for host, time in before.items())
        clocks.append(clock)


def check_dot(text, document):
    shown = [n for first, last in document["shown"] for n in range(first, last + 1)]
    assert [f"s{n} [label" in text for n in shown] == [True] * len(shown)
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)  # without what is in quotes
    assert bare.count('"') % 2 == 0 and bare.count("{") == bare.count("}") and bare.rstrip().endswith("}")
    nodes = set(re.findall(r"^ *([sto]\d+) \[label", bare, re.MULTILINE))
    edges = re.findall(r"^ *(\w+) -> (\w+)", bare, re.MULTILINE)
    assert all(one in nodes and other in nodes for one, other in edges), "edges are between nodes"
    for one, other in lives(document):
        assert (f"s{one}", f"s{other}") in edges or not {one, other} <= set(shown), "threads begin and end"
    for wait in document.get("waits", []):
        for on in wait.get("on", []):
            assert (f"t{wait['thread']}", f"t{on}") in edges, "it is drawn who waits for whom"
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tcanon"], input=text, text=True, check=True, stdout=subprocess.DEVNULL)


def outside_of_fences(text):
    """The lines of Markdown that are no code, all fences of which must end."""
    outside, fence = [], None
    for line in text.splitlines():
        mark = re.match(r"(`{3,})[a-z]*$", line)
        if fence is None and mark:
            fence = mark[1]
        elif fence is None:
            outside.append(line)
        elif line == fence:
            fence = None
    assert fence is None, "a block of code does not end"
    return outside


def check_markdown(text, document):
    for line in outside_of_fences(text):
        known = r"(|### `+ .* `+|<details><summary>(Calls|Steps)</summary>|</details>)"
        assert re.fullmatch(known, line), f"text of a failure is no markup: {line}"
    assert text.count("<details>") == text.count("</details>")
    for line in document["headline"]:
        assert line in text
    command, program = document["replay"].rsplit(" ", 1)
    assert document["test"] in text and f"{command} PROGRAM" in text
    assert program not in text, "where a program was says nothing to others"


def check_page(text, document):
    (element,) = re.findall(r'<script type="application/json" id="document"([^>]*)>([^<]*)</script>', text)
    attributes, content = element
    if "deflate" in attributes:
        content = zlib.decompress(base64.b64decode(content, validate=True), wbits=-15)
    shown = json.loads(content)
    shown.pop("sources", None)
    assert shown == document, "a page holds the document"


checks = {
    "html": check_page,
    "sarif": check_sarif,
    "trace": check_trace,
    "shiviz": check_shiviz,
    "dot": check_dot,
    "markdown": check_markdown,
}
folder = pathlib.Path(sys.argv[1])
for name, check in checks.items():
    files = list(folder.glob(f"*.{name}"))
    assert files, f"there are files for {name}"
    for file in files:
        check(file.read_text(encoding="utf-8"), json.loads(file.with_suffix(".json").read_text(encoding="utf-8")))
