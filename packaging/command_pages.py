#!/usr/bin/env python3
"""Makes the man page and the shell completions of a program from its tables of options.

    command_pages.py PROGRAM VERSION FOLDER

Runs `PROGRAM --help`, and `PROGRAM COMMAND --help` for each command that it lists; both print tables of options. Writes
FOLDER/NAME.1 (man), FOLDER/NAME (bash), FOLDER/_NAME (zsh) and FOLDER/NAME.fish.
"""
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

COLUMN = 30  # where the descriptions in the tables begin


@dataclass
class Row:
    """A line of a table: an option with its names, or an argument or a command with its name."""
    names: list[str]
    value: str  # as in the table; empty for options without a value
    text: str

    def choices(self) -> list[str]:
        """The possible values, if the table lists them."""
        listed = re.search(r"\{(.+)\}", self.value)
        if listed and self.value.startswith("INT:"):
            return listed.group(1).split(",")
        return self.value.split("|") if re.fullmatch(r"[a-z0-9]+(\|[a-z0-9]+)+", self.value) else []

    def shown_value(self) -> str:
        return "|".join(self.choices()) or self.value

    def takes_file(self) -> bool:
        return any(word in ("FILE", "OUT", "DIR") for word in self.value.split("|"))


@dataclass
class Page:
    """The parsed --help text of a program or a command."""
    summary: str
    usage: str
    arguments: list[Row] = field(default_factory=list)
    options: list[Row] = field(default_factory=list)
    commands: list[Row] = field(default_factory=list)
    footer: list[str] = field(default_factory=list)


def parse_row(left: str, text: str) -> Row:
    names, _, value = left.partition(" ")
    # --trace{all}: the value is optional, and follows a =.
    names = re.sub(r"\{.*\}", "", names)
    return Row(names.split(","), value.strip(), text)


def read_page(command: list[str]) -> Page:
    lines = subprocess.run([*command, "--help"], check=True, capture_output=True, text=True).stdout.splitlines()
    usage = next(k for k, line in enumerate(lines) if line.startswith("Usage: "))
    page = Page(" ".join(lines[:usage]), lines[usage].removeprefix("Usage: "))
    tables = {"Positionals:": page.arguments, "Options:": page.options, "Subcommands:": page.commands}
    rows = None
    for line in lines[usage + 1:]:
        if line in tables:
            rows = tables[line]
        elif line.startswith("  ") and rows is not None:
            left, text = line[2:COLUMN].rstrip(), line[COLUMN:].strip()
            if not left:
                rows[-1].text = text  # the option alone fills its line; the description is on the next
            elif len(line) <= COLUMN or line[COLUMN - 1] != " ":
                rows.append(parse_row(line.strip(), ""))
            else:
                rows.append(parse_row(left, text))
        elif line:
            rows = None
            page.footer.append(line)
    return page


# --- man ---------------------------------------------------------------------------------------------------------

def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def man_rows(rows: list[Row]) -> list[str]:
    lines = []
    for row in rows:
        head = ", ".join(f"\\fB{roff(name)}\\fR" for name in row.names)
        if row.value:
            head += f" \\fI{roff(row.shown_value())}\\fR"
        lines += [".TP", head, roff(row.text)]
    return lines


def man_page(name: str, version: str, page: Page, commands: dict[str, Page]) -> str:
    lines = [f'.TH {name.upper()} 1 "" "NESL {version}" "NESL"', ".SH NAME",
             f"{roff(name)} \\- {roff(page.summary.rstrip('.'))}", ".SH SYNOPSIS", f"\\fB{roff(page.usage)}\\fR"]
    for command in commands.values():
        lines += [".br", f"\\fB{roff(command.usage)}\\fR"]
    if page.arguments:
        lines += [".SH ARGUMENTS", *man_rows(page.arguments)]
    lines += [".SH OPTIONS", *man_rows(page.options)]
    common = {tuple(row.names) + (row.text,) for row in page.options}
    if commands:
        lines.append(".SH COMMANDS")
    for word, command in commands.items():
        own = [row for row in command.options if tuple(row.names) + (row.text,) not in common]
        shared = len(command.options) - len(own)
        lines += [".SS", roff(word), roff(command.summary), *man_rows([*command.arguments, *own])]
        if shared > 1:
            lines += [".PP", "The options above that say how programs are compiled and run apply to it, too."
                      if shared > 5 else "Also: " + ", ".join(
                          roff(row.names[-1]) for row in command.options if row not in own)]
    if page.footer:
        lines += [".SH DESCRIPTION", *(roff(line) for line in page.footer)]
    return "\n".join(lines) + "\n"


# --- completions -------------------------------------------------------------------------------------------------

def spelled(rows: list[Row]) -> list[str]:
    return [name for row in rows for name in row.names]


def bash_completion(name: str, page: Page, commands: dict[str, Page]) -> str:
    function = "_" + re.sub(r"\W", "_", name)
    every = {}
    for row in [*page.options, *(row for command in commands.values() for row in command.options)]:
        for spelling in row.names:
            every[spelling] = row
    cases = [f"    {spelling}) COMPREPLY=($(compgen -W '{' '.join(row.choices())}' -- \"$word\")); return ;;"
             for spelling, row in every.items() if row.choices()]
    others = [spelling for spelling, row in every.items() if row.value and not row.choices() and not row.takes_file()]
    if others:
        cases.append(f"    {'|'.join(others)}) return ;;")
    files = [spelling for spelling, row in every.items() if row.takes_file()]
    if files:
        cases.append(f"    {'|'.join(files)}) COMPREPLY=($(compgen -f -- \"$word\")); return ;;")
    lines = [f"{function}() {{", '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}',
             '  case $before in', *cases, "  esac", "  local options", "  case $command in"]
    lines += [f"    {word}) options='{' '.join(spelled(command.options))}' ;;" for word, command in commands.items()]
    lines += [f"    *) options='{' '.join(spelled(page.options))}' ;;", "  esac",
              '  if [[ $word == -* ]]; then', '    COMPREPLY=($(compgen -W "$options" -- "$word"))']
    if commands:
        lines += ['  elif ((COMP_CWORD == 1)); then',
                  f"    COMPREPLY=($(compgen -W '{' '.join(commands)}' -- \"$word\"))"]
    lines += ["  else", '    COMPREPLY=($(compgen -f -- "$word"))', "  fi", "}",
              f"complete -o filenames -F {function} {name}"]
    return "\n".join(lines) + "\n"


def zsh_quoted(text: str) -> str:
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh_arguments(rows: list[Row]) -> str:
    lines = []
    for row in rows:
        value = ""
        if row.value:
            action = f"({' '.join(row.choices())})" if row.choices() else "_files" if row.takes_file() else ""
            value = f":{zsh_quoted(row.shown_value())}:{action}"
        lines += [f"'{name}[{zsh_quoted(row.text)}]{value}'" for name in row.names]
    return " ".join(lines)


def zsh_completion(name: str, page: Page, commands: dict[str, Page]) -> str:
    lines = [f"#compdef {name}", "local -a options", "case ${words[2]} in"]
    for word, command in commands.items():
        lines.append(f"  {word}) options=({zsh_arguments(command.options)} '*:file:_files') ;;")
    first = f"'1:command:({' '.join(commands)})' " if commands else ""
    lines += [f"  *) options=({first}{zsh_arguments(page.options)} '*:file:_files') ;;", "esac",
              "_arguments $options"]
    return "\n".join(lines) + "\n"


def fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_rows(name: str, rows: list[Row], condition: str) -> list[str]:
    lines = []
    for row in rows:
        words = [f"complete -c {name}", f"-n {fish_quoted(condition)}"]
        words += [f"-l {spelling[2:]}" if spelling.startswith("--") else f"-s {spelling[1:]}" for spelling in row.names]
        if row.choices():
            words.append(f"-x -a {fish_quoted(' '.join(row.choices()))}")
        elif row.value:
            words.append("-r" if row.takes_file() else "-x")
        lines.append(" ".join([*words, f"-d {fish_quoted(row.text)}"]))
    return lines


def fish_completion(name: str, page: Page, commands: dict[str, Page]) -> str:
    none = "not __fish_seen_subcommand_from " + " ".join(commands) if commands else "true"
    lines = fish_rows(name, page.options, none)
    for word, command in commands.items():
        lines.append(f"complete -c {name} -n {fish_quoted(none)} -f -a {word} -d {fish_quoted(command.summary)}")
        lines += fish_rows(name, command.options, f"__fish_seen_subcommand_from {word}")
    return "\n".join(lines) + "\n"


def main() -> None:
    program, version, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    name = Path(program).name
    page = read_page([program])
    commands = {row.names[0]: read_page([program, row.names[0]]) for row in page.commands}
    for row in page.commands:
        commands[row.names[0]].summary = row.text
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.1").write_text(man_page(name, version, page, commands))
    (folder / name).write_text(bash_completion(name, page, commands))
    (folder / f"_{name}").write_text(zsh_completion(name, page, commands))
    (folder / f"{name}.fish").write_text(fish_completion(name, page, commands))


main()
