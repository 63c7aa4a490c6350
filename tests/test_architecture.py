"""Imports point one way, the rules need nothing but Python, and each name has one owner."""

import ast
import importlib.metadata
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

NAMES = ("hardware", "rules", "station")

UNKNOWN = "a name worked out while running"


def root_of(package: str) -> Path:
    """Return the folder that an import of the package reads."""
    spec = importlib.util.find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


def dotted(path: Path, root: Path) -> tuple[str, ...]:
    """Return a module's name, part by part; a package's ``__init__`` stays a part of its own."""
    return path.relative_to(root.parent).with_suffix("").parts


def imported(path: Path, module: tuple[str, ...]) -> Iterator[str]:
    """Yield the first part of each name that a file imports, at whatever depth it does so."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str(name), level=0):
                yield name.partition(".")[0]
            case ast.ImportFrom(level=level):
                yield module[0] if level < len(module) else "beyond its own package"
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module")
                | ast.Attribute(attr="import_module"),
                args=[first, *_],
            ):
                yield _first_part(first)
            case _:
                pass


def _first_part(name: ast.expr) -> str:
    match name:
        case ast.Constant(value=str(text)):
            return text.partition(".")[0]
        case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]) if "." in text:
            return text.partition(".")[0]
        case _:
            return UNKNOWN


def imports_of(root: Path) -> dict[str, set[str]]:
    """Return what each module below a package's folder imports."""
    return {
        ".".join(dotted(path, root)): set(imported(path, dotted(path, root)))
        for path in sorted(root.rglob("*.py"))
    }


def strangers_in_rules(root: Path) -> list[str]:
    """Return what the rules import beside the standard library and themselves."""
    known = sys.stdlib_module_names | {"rules"}
    return [
        f"{module} imports {name}"
        for module, names in imports_of(root).items()
        for name in sorted(names - known)
    ]


def upward_in_hardware(root: Path) -> list[str]:
    """Return where the hardware imports what stands above or beside it."""
    return [
        f"{module} imports {name}"
        for module, names in imports_of(root).items()
        for name in sorted(names & {"rules", "station"})
    ]


def test_rules_import_the_standard_library_alone() -> None:
    root = root_of("rules")
    assert len(imports_of(root)) > 10
    assert strangers_in_rules(root) == []


def test_hardware_imports_neither_rules_nor_station() -> None:
    root = root_of("hardware")
    assert len(imports_of(root)) > 3
    assert upward_in_hardware(root) == []


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ("import hypothesis\n", "hypothesis"),
        ("import json, PIL.Image as image\n", "PIL"),
        ("from station.ledger import store\n", "station"),
        ("def late():\n    from hardware import entropy\n", "hardware"),
        ("if False:\n    import serial\n", "serial"),
        ("from importlib import import_module\nimport_module('luma.core')\n", "luma"),
        ("import importlib\nimportlib.import_module('x' + 'y')\n", UNKNOWN),
        ("__import__('gpiozero')\n", "gpiozero"),
        ("from .. import station\n", "beyond its own package"),
    ],
)
def test_a_stranger_planted_in_the_rules_is_found(tmp_path: Path, planted: str, found: str) -> None:
    copy = shutil.copytree(root_of("rules"), tmp_path / "rules")
    assert strangers_in_rules(copy) == []
    (copy / "planted.py").write_text(planted, encoding="utf-8")
    assert strangers_in_rules(copy) == [f"rules.planted imports {found}"]


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ("import rules.model\n", "rules"),
        ("def late():\n    from station.core import step\n", "station"),
        ("import importlib\nimportlib.import_module('station.screens')\n", "station"),
        ("import importlib\nimportlib.import_module(f'rules.{__name__}')\n", "rules"),
    ],
)
def test_an_upward_import_planted_in_the_hardware_is_found(
    tmp_path: Path, planted: str, found: str
) -> None:
    copy = shutil.copytree(root_of("hardware"), tmp_path / "hardware")
    assert upward_in_hardware(copy) == []
    (copy / "entropy" / "planted.py").write_text(planted, encoding="utf-8")
    assert upward_in_hardware(copy) == [f"hardware.entropy.planted imports {found}"]


LOAD_ALL = """
import importlib, json, sys
before = set(sys.modules)
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] in ("hardware", "rules", "station"):
            raise
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""


def loaded_by(package: str) -> set[str]:
    """Return the top-level names that importing all of a package brings into a fresh Python."""
    names = imports_of(root_of(package))
    modules = [name.removesuffix(".__init__") for name in names if "__main__" not in name]
    done = subprocess.run(  # noqa: S603 - our own interpreter, with names from our own tree
        [sys.executable, "-I", "-c", LOAD_ALL, *modules],
        check=True,
        capture_output=True,
        text=True,
        timeout=50,
    )
    return set(json.loads(done.stdout))


def test_a_fresh_python_needs_nothing_else_for_the_rules() -> None:
    loaded = loaded_by("rules")
    assert "rules" in loaded
    assert loaded - sys.stdlib_module_names == {"rules"}


def test_a_fresh_python_loads_the_hardware_without_rules_or_station() -> None:
    loaded = loaded_by("hardware")
    assert "hardware" in loaded
    assert not loaded & {"rules", "station"}


def test_the_three_packages_lie_under_one_root() -> None:
    assert len({root_of(name).parent for name in NAMES}) == 1


@pytest.mark.parametrize("name", NAMES)
def test_no_other_distribution_owns_the_name(name: str) -> None:
    # An editable install lists no files, so there the name may have no owner at all.
    owners = importlib.metadata.packages_distributions().get(name, ["dice-station"])
    assert set(owners) == {"dice-station"}
