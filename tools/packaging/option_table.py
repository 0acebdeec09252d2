# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The option table of a program: what it prints for --option-table, which is what its --help is made of."""

import dataclasses
import json
import re
import subprocess

ALTERNATIVES = re.compile(r"[^|\s]+(?:\|[^|\s]+)+")
FIXED_WORD = re.compile(r"[a-z0-9][a-z0-9-]*")
FILES = re.compile(r"FILE|MODEL|PLAN|TRACE|TOML")
FOLDERS = re.compile(r"DIR|FOLDER|RUN")
# A line that begins a section of the help: `Examples:`, `Phases (--compile-to):`, `Exit status: 0 done`.
HEADING = re.compile(r"(?P<title>Exit status|[A-Z][^:()]*)(?P<about> \(.*\))?:(?P<rest>.*)")
NOT_PROSE = {"Usage", "Positionals", "Options", "Subcommands"}


@dataclasses.dataclass(frozen=True)
class Option:
    names: list  # -o, --output; none: an argument
    value: str  # what stands for its value, "" where it takes none
    choices: list  # the words that it takes, if only these
    repeatable: bool
    required: bool
    default: str
    group: str
    description: str

    @property
    def words(self):
        """What may be offered as value: its choices, or those in a value like model|off|P."""
        if self.choices or not ALTERNATIVES.fullmatch(self.value):
            return self.choices
        return [word for word in self.value.split("|") if FIXED_WORD.fullmatch(word)]

    @property
    def takes_file(self):
        return not self.words and FILES.search(self.value) is not None

    @property
    def takes_folder(self):
        return not self.words and not self.takes_file and FOLDERS.search(self.value) is not None

    @property
    def brief(self):
        """The first clause of the description, for a list of completions."""
        text = " ".join(self.description.split())
        return re.split(r"(?<=[a-z)])[.;:] ", text, maxsplit=1)[0].rstrip(".")


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    version: str
    description: str
    help: str
    options: list
    arguments: list
    commands: list  # each a Program

    @property
    def prose(self):
        """Sections of the help that list no options, as (title, lines)."""
        found = [(title, lines) for title, lines in _sections(self.help) if title.split(" (")[0] not in NOT_PROSE]
        return [(title, lines) for title, lines in found if title not in self.groups]

    @property
    def groups(self):
        """Options by group, in the order of the help."""
        groups = {}
        for option in self.options:
            groups.setdefault(option.group, []).append(option)
        return groups


def read_program(path, commands=()):
    """The table of the program at `path`; `commands` are those that have a table of their own."""
    program = _make_program(_print_table([path]))
    for name in commands:
        command = _make_program(_print_table([path, name]) | {"name": name})
        program.commands.append(command)
    return program


def _print_table(command):
    done = subprocess.run([*command, "--option-table"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"program_pages: {' '.join(command)} --option-table failed:\n{done.stderr}")
    return json.loads(done.stdout)


def _sections(text):
    """The parts of a help text behind its headings; what stands before the first one is left out."""
    sections = []
    after_blank = True
    for line in text.splitlines():
        found = HEADING.fullmatch(line) if after_blank else None
        if found and (not found["rest"].strip() or found["title"] == "Exit status"):
            sections.append((found["title"] + (found["about"] or ""), [found["rest"].strip()]))
        elif sections:
            sections[-1][1].append(line)
        after_blank = not line.strip()
    return sections


def _names_in(text):
    """The names of each option as the help writes them, by each of them: -MD and --dependencies, say."""
    groups = [match.split(",") for match in re.findall(r"^  (-\S+)", text, re.MULTILINE)]
    return {name: names for names in groups for name in names}


def _make_program(table):
    options = [Option(**option) for option in table.pop("options")]
    shown = _names_in(table["help"])
    options = [dataclasses.replace(each, names=shown.get("".join(each.names[-1:]), each.names)) for each in options]
    return Program(
        **(table | {"commands": [_make_program(command) for command in table["commands"]]}),
        options=[option for option in options if option.names],
        arguments=[option for option in options if not option.names],
    )
