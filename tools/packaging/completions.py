# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completions of an option table for bash, zsh and fish."""

import shlex


def bash(program):
    """A function for the program and one for each of its commands; they need nothing but bash."""
    name = "_" + program.name.replace("-", "_")
    lines = [f"# Completion of {program.name} for bash."]
    for command in program.commands:
        lines += _bash_function(f"{name}_{command.name}", command, "")
    dispatch = "".join(
        f"  if [[ ${{COMP_WORDS[1]}} == {command.name} && COMP_CWORD -gt 1 ]]; then\n"
        f"    {name}_{command.name}\n    return\n  fi\n"
        for command in program.commands
    )
    lines += _bash_function(name, program, dispatch)
    lines.append(f"complete -F {name} {program.name}")
    return "\n".join(lines) + "\n"


def _bash_function(name, program, dispatch):
    yield f"{name}() {{"
    if dispatch:
        yield dispatch.rstrip("\n")
    yield '  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}'
    yield "  # --option=value comes as three words."
    yield "  if [[ $cur == = ]]; then"
    yield "    cur="
    yield "  elif [[ $prev == = ]]; then"
    yield "    prev=${COMP_WORDS[COMP_CWORD - 2]}"
    yield "  fi"
    yield "  COMPREPLY=()"
    yield "  case $prev in"
    for action, names in _bash_actions(program.options).items():
        yield f"    {' | '.join(names)})"
        yield from (f"      {line}" for line in action)
        yield "      return ;;"
    yield "  esac"
    yield "  if [[ $cur == -* ]]; then"
    flags = " ".join(option.names[-1] for option in program.options)
    yield f"    mapfile -t COMPREPLY < <(compgen -W {shlex.quote(flags)} -- \"$cur\")"
    yield "    return"
    yield "  fi"
    if program.commands:
        words = shlex.quote(" ".join(command.name for command in program.commands))
        yield f"  if [[ $COMP_CWORD -eq 1 ]]; then\n    mapfile -t COMPREPLY < <(compgen -W {words} -- \"$cur\")\n  fi"
    if program.arguments:
        yield "  compopt -o filenames 2>/dev/null"
        yield '  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")'
    yield "}"


def _bash_actions(options):
    """What to do for the value of an option, as lines, with the names of all the options that want it."""
    actions = {}
    for option in options:
        if option.value:
            actions.setdefault(_bash_value(option), []).extend(option.names)
    return actions


def _bash_value(option):
    if option.words:
        return (f"mapfile -t COMPREPLY < <(compgen -W {shlex.quote(' '.join(option.words))} -- \"$cur\")",)
    if option.takes_file or option.takes_folder:
        kind = "-f" if option.takes_file else "-d"
        return ("compopt -o filenames 2>/dev/null", f'mapfile -t COMPREPLY < <(compgen {kind} -- "$cur")')
    return ()


def zsh(program):
    """A function for the completion system of zsh; commands are told by the first word."""
    lines = [f"#compdef {program.name}", "", f"_{program.name}() {{"]
    for command in program.commands:
        lines += [
            f"  if (( CURRENT > 2 )) && [[ $words[2] == {command.name} ]]; then",
            '    words=("${(@)words[2,-1]}")',
            "    (( CURRENT-- ))",
            *_zsh_arguments(command, "    "),
            "    return",
            "  fi",
        ]
    if program.commands:
        entries = " ".join(_zsh_quote(f"{command.name}:{_flat(command.description)}") for command in program.commands)
        lines += ["  if (( CURRENT == 2 )); then", f"    local -a commands=({entries})"]
        lines += ["    _describe command commands", "  fi"]
    lines += [*_zsh_arguments(program, "  "), "}", "", f'_{program.name} "$@"']
    return "\n".join(lines) + "\n"


def _flat(text):
    return " ".join(text.split()).rstrip(".")


def _zsh_quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def _zsh_arguments(program, indent):
    specs = [spec for option in program.options for spec in _zsh_option(option)]
    specs += [_zsh_quote(f"*:{_zsh_plain(argument.value)}:_files") for argument in program.arguments]
    yield f"{indent}_arguments -S \\"
    yield from (f"{indent}  {spec} \\" for spec in specs[:-1])
    yield f"{indent}  {specs[-1]}"


def _zsh_plain(text):
    for special in "\\[]:":
        text = text.replace(special, "\\" + special)
    return text


def _zsh_option(option):
    """One specification for each of its names, which exclude one another unless it may be repeated."""
    value = ""
    if option.value:
        action = f"({' '.join(option.words)})" if option.words else " "
        action = "_files" if option.takes_file else "_files -/" if option.takes_folder else action
        value = f":{_zsh_plain(option.value)}:{action}"
    before = "*" if option.repeatable else f"({' '.join(option.names)})"
    for name in option.names:
        sign = "" if not option.value else "=" if name.startswith("--") else "+"
        yield _zsh_quote(f"{before}{name}{sign}[{_zsh_plain(option.brief)}]{value}")


def fish(program):
    """One line for each option and command."""
    lines = [f"# Completion of {program.name} for fish."]
    names = " ".join(command.name for command in program.commands)
    for command in program.commands:
        about = _fish_quote(_flat(command.description))
        lines.append(f"complete -c {program.name} -n __fish_use_subcommand -a {command.name} -d {about}")
    alone = f"not __fish_seen_subcommand_from {names}" if names else ""
    lines += [_fish_option(program.name, option, alone) for option in program.options]
    for command in program.commands:
        within = f"__fish_seen_subcommand_from {command.name}"
        lines += [_fish_option(program.name, option, within) for option in command.options]
    return "\n".join(lines) + "\n"


def _fish_quote(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _fish_option(program, option, condition):
    words = [f"complete -c {program}"]
    words += [f"-n {_fish_quote(condition)}"] if condition else []
    # Short names have one letter; others behind one dash are what fish calls old.
    words += [f"-l {name[2:]}" if name[1] == "-" else f"{'-s' if len(name) == 2 else '-o'} {name[1:]}" for name in option.names]
    if option.takes_file:
        words.append("-r -F")
    elif option.takes_folder:
        words.append("-x -a '(__fish_complete_directories)'")
    elif option.value:
        words.append("-x" + (f" -a {_fish_quote(' '.join(option.words))}" if option.words else ""))
    words.append(f"-d {_fish_quote(option.brief)}")
    return " ".join(words)
