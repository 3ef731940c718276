"""What the tools that change programs share: runs, their outputs, and tables that keep reasons."""

import re
import subprocess

SCHEDULES = ["forward", "reverse", "20260117"]
# The status of a run that is ended for its time.
UNENDED = -1


def run(command, folder, environment, limit):
    """Status, output without times, and what was said."""
    try:
        ran = subprocess.run(
            [str(word) for word in command],
            cwd=folder, env=environment, capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, timeout=limit, check=False,
        )
    except subprocess.TimeoutExpired:
        return (UNENDED, "", "does not end")
    return (ran.returncode, without_times(ran.stdout), ran.stderr)


def without_times(text):
    return re.sub(r"(time|seconds)\S*\s*[=:]?\s*[0-9.e+-]+", "", text)


def benchmark_arguments(source):
    """The arguments of a benchmark's first test run."""
    description = source.parent / "bench.toml"
    if not description.is_file():
        return []
    runs = re.findall(r"arguments\s*=\s*\[(.*?)\]", description.read_text(), re.S)
    return re.findall(r'"([^"]*)"', runs[0]) if runs else []


def known_rows(table, columns, head):
    """The rows of an existing table; `head` is its first column's title."""
    if not table.is_file():
        return []
    lines = table.read_text().splitlines()
    cells = lambda line: re.split(r"(?<!\\)\|", line[1:-1])  # a cell has its own ones escaped
    rows = [[cell.strip() for cell in cells(line)] for line in lines if line[:2] == "| "]
    return [tuple(row) for row in rows if len(row) == columns and row[0] != head]
