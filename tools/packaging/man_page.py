# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A man page of an option table, with the texts of --help as they are."""

import re

PROGRAMS = ("accelc", "accel-run", "accel-compare", "accel-inspect", "accel-data")


def man_page(program):
    """The page of `program` in man's macros."""
    name = program.name
    lines = [
        f'.TH {_quote(name.upper())} 1 "" {_quote(program.version)} "Accel"',
        ".nh",
        ".ad l",
        ".SH NAME",
        f"{_escape(name)} \\- {_escape(_purpose(program.description))}",
        ".SH SYNOPSIS",
        *_synopsis(name, program),
        ".SH DESCRIPTION",
        _escape(" ".join(program.description.split())),
        *_options(program, ".SH", ".SS"),
    ]
    for command in program.commands:
        lines += [f".SH {_quote(f'COMMAND {command.name}')}", *_synopsis(f"{name} {command.name}", command), ".PP"]
        lines += [_escape(" ".join(command.description.split()))]
        lines += _options(command, ".SS", None)
        lines += _prose(command, ".SS") if command.prose != program.prose else []
    lines += _prose(program, ".SH")
    others = [f"\\fB{_escape(other)}\\fR(1)" for other in PROGRAMS if other != name]
    lines += [".SH SEE ALSO", ", ".join(others)]
    return "\n".join(lines) + "\n"


def _quote(text):
    return '"' + _escape(text).replace('"', "\\(dq") + '"'


def _escape(text):
    """Text that man prints as it is; hyphens stay what a shell understands."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text, flags=re.MULTILINE)


def _purpose(description):
    """`Trains a model: ...` as `trains a model`."""
    sentence = re.split(r"[:.,]| - ", " ".join(description.split()), maxsplit=1)[0]
    return sentence[:1].lower() + sentence[1:]


def _synopsis(name, program):
    words = [f"\\fB{_escape(name)}\\fR", "[\\fIoptions\\fR]"]
    if program.commands and not program.arguments:
        words.append("\\fIcommand\\fR")
    for number, argument in enumerate(program.arguments):
        word = f"\\fI{_escape(argument.value)}\\fR" + (" ..." if argument.repeatable else "")
        # The first may be left out where an option says so, as --help of accelc.
        words.append(word if argument.required or number == 0 else f"[{word}]")
    words += [_flags(option) for option in program.options if option.required]
    forms = [" ".join(words)]
    if program.arguments:
        forms += [f"\\fB{_escape(f'{name} {command.name}')}\\fR ..." for command in program.commands]
    return "\n.br\n".join(forms).splitlines()


def _flags(option):
    value = f" \\fI{_escape(option.value)}\\fR" if option.value else ""
    return ", ".join(f"\\fB{_escape(name)}\\fR" for name in option.names) + value


def _options(program, heading, subheading):
    lines = []
    if program.arguments:
        lines += [f"{heading} ARGUMENTS"]
        lines += _entries(program.arguments, lambda argument: f"\\fI{_escape(argument.value)}\\fR")
    lines += [f"{heading} OPTIONS"]
    for group, options in program.groups.items():
        lines += [f"{subheading} {_quote(group)}"] if subheading and len(program.groups) > 1 else []
        lines += _entries(options, _flags)
    return lines


def _entries(options, head):
    lines = []
    for option in options:
        text = " ".join(option.description.split())
        text += f" [{option.default}]" if option.default else ""
        lines += [".TP", head(option), _escape(text)]
    return lines


def _prose(program, heading):
    """The sections of the help without options: indented lines stay as they are, others flow."""
    lines = []
    for title, text in program.prose:
        name, _, about = title.partition(" (")
        lines.append(f"{heading} {_quote(name.upper() + (f' ({about}' if about else ''))}")
        kind = "text"  # of the line before: literal, text or none
        for line in text:
            new = "literal" if line.startswith(" ") else "text" if line.strip() else ""
            lines += [".EE"] if kind == "literal" and new != "literal" else []
            lines += [".PP"] if new and kind != new and not lines[-1].startswith(heading) else []
            lines += [".EX"] if new == "literal" and kind != "literal" else []
            lines += [_escape(line)] if new else []
            kind = new
        lines += [".EE"] if kind == "literal" else []
    return lines
