# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a log is SARIF 2.1.0 in the objects that accelc writes: check_sarif.py FILE

The tables below are written from chapter 3 of the standard (OASIS, 27 March 2020): for each object its properties, which of them it
must have, and what each of them is. A property that the tables do not have is an error, so whoever writes a new one looks it up.
With a copy of the published schema, and Python's jsonschema, check_sarif.py FILE SCHEMA asks both.
"""

import json
import re
import sys

# RFC 3986: a reference with percent-encoded rest, which must not look as if it had another scheme.
URI_REFERENCE = re.compile(r"(file://)?([A-Za-z0-9._~/!$&'()*+,;=@:-]|%[0-9A-Fa-f]{2})*")
RULE_ID = re.compile(r"ACCEL-[EW]\d{4}")


def text(value):
    return isinstance(value, str) and value != ""


def whole(least):
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least


def one_of(*values):
    return lambda value: value in values


def matches(pattern):
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def several(kind):
    return ("several", kind)


# (section) object: {property: (required, what it is)}; a name stands for an object of that name.
OBJECTS = {
    "sarifLog": {  # 3.13
        "$schema": (False, matches(re.compile(r"https?://\S+"))),
        "version": (True, one_of("2.1.0")),
        "runs": (True, several("run")),
    },
    "run": {  # 3.14
        "tool": (True, "tool"),
        "invocations": (False, several("invocation")),
        "columnKind": (False, one_of("utf16CodeUnits", "unicodeCodePoints")),
        "results": (False, several("result")),
    },
    "tool": {"driver": (True, "toolComponent")},  # 3.18
    "toolComponent": {  # 3.19
        "name": (True, text),
        "version": (False, text),
        "rules": (False, several("reportingDescriptor")),
    },
    "reportingDescriptor": {  # 3.49
        "id": (True, matches(RULE_ID)),
        "shortDescription": (False, "multiformatMessageString"),
        "fullDescription": (False, "multiformatMessageString"),
        "help": (False, "multiformatMessageString"),
        "defaultConfiguration": (False, "reportingConfiguration"),
    },
    "multiformatMessageString": {"text": (True, text)},  # 3.12
    "reportingConfiguration": {"level": (False, one_of("none", "note", "warning", "error"))},  # 3.50
    "invocation": {  # 3.20
        "executionSuccessful": (True, one_of(True, False)),
        "exitCode": (False, whole(0)),
    },
    "result": {  # 3.27
        "ruleId": (False, matches(RULE_ID)),
        "ruleIndex": (False, whole(0)),
        "level": (False, one_of("none", "note", "warning", "error")),
        "message": (True, "message"),
        "locations": (False, several("location")),
        "relatedLocations": (False, several("location")),
    },
    "message": {"text": (True, text)},  # 3.11; text or id
    "location": {  # 3.28
        "physicalLocation": (False, "physicalLocation"),
        "logicalLocations": (False, several("logicalLocation")),
        "message": (False, "message"),
    },
    "physicalLocation": {  # 3.29; an artifact's location or an address
        "artifactLocation": (True, "artifactLocation"),
        "region": (False, "region"),
    },
    "artifactLocation": {"uri": (True, matches(URI_REFERENCE))},  # 3.4; uri or index
    "region": {"startLine": (True, whole(1))},  # 3.30
    "logicalLocation": {"name": (False, text), "fullyQualifiedName": (False, text)},  # 3.33
}


def check(value, kind, path):
    """Yields what is wrong with `value`, which is found at `path`."""
    if isinstance(kind, tuple):
        if not isinstance(value, list):
            yield f"{path}: expected an array"
            return
        for index, each in enumerate(value):
            yield from check(each, kind[1], f"{path}[{index}]")
    elif isinstance(kind, str):
        properties = OBJECTS[kind]
        if not isinstance(value, dict):
            yield f"{path}: expected a {kind}"
            return
        yield from (f"{path}: expected '{name}'" for name, (required, _) in properties.items() if required and name not in value)
        for name, each in value.items():
            if name not in properties:
                yield f"{path}: a {kind} has no '{name}'"
            else:
                yield from check(each, properties[name][1], f"{path}.{name}")
    elif not kind(value):
        yield f"{path}: {value!r}"


def check_rules(run):
    """3.27.5, 3.27.6: a result's index is that of its rule; 3.49.3: each rule is there once."""
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    if len(set(ids)) != len(ids):
        yield "a rule is there twice"
    for result in run["results"]:
        if ("ruleId" in result) != ("ruleIndex" in result) or "ruleId" in result and ids[result["ruleIndex"]] != result["ruleId"]:
            yield f"'{result['message']['text']}': rule and index do not agree"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        log = json.load(file)
    faults = list(check(log, "sarifLog", "log")) or [fault for run in log["runs"] for fault in check_rules(run)]
    if len(sys.argv) > 2:
        import jsonschema

        with open(sys.argv[2], encoding="utf-8") as file:
            validator = jsonschema.Draft7Validator(json.load(file), format_checker=jsonschema.FormatChecker())
        faults += [f"{error.json_path}: {error.message}" for error in validator.iter_errors(log)]
    sys.exit("\n".join(faults) or 0)


if __name__ == "__main__":
    main()
