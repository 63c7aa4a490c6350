"""Configurations as text: the commented example, and the values that are in force."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from textwrap import wrap

from station.config.kinds import Key, Section
from station.config.options import schema
from station.config.settings import Config, Setting

WIDTH = 100
"""Columns of a comment."""

_HEAD = (
    "# The dice station's configuration. Everything here is optional: what is left out, or stands",
    "# after a #, has the value shown. `dice-station config --check FILE` says what is wrong.",
)


def example() -> str:
    """Return a file that sets nothing and shows everything: each key with help and default."""
    lines = [*_HEAD]
    for section in schema():
        lines += ["", *_comment(section.help), _opening(section)]
        for key in section.keys:
            allowed = _comment(f"Allowed: {key.kind.allowed}.")
            lines += ["", *_comment(key.help), *allowed, _left_out(key)]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    return wrap(text, WIDTH, initial_indent="# ", subsequent_indent="# ")


def _opening(section: Section) -> str:
    return f"#{section.heading}" if section.many else section.heading


def _left_out(key: Key) -> str:
    value = "/dev/serial0" if key.kind.required else key.kind.default
    return f"#{key.name} = {key.kind.written(value)}"


def effective(config: Config) -> Iterator[str]:
    """Yield the lines of a file that says all that is in force, each with where it comes from."""
    yield f"# {config.path or 'no configuration file: defaults'}"
    sections = {section.name: section for section in schema()}
    for table, settings in groupby(config.settings, lambda setting: setting.section):
        section = sections[table.partition("[")[0]]
        yield ""
        yield section.heading
        yield from _values(section, settings)


def _values(section: Section, settings: Iterable[Setting]) -> Iterator[str]:
    kinds = {key.name: key.kind for key in section.keys}
    for setting in settings:
        text = f"{setting.key} = {kinds[setting.key].written(setting.value)}"
        yield f"{text:<38} # {setting.origin}"
