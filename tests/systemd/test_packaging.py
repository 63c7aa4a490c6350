"""The package's scripts and lists: sound, in step with the project, and clean behind themselves."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
PACKAGING = TOP / "packaging"
SCRIPTS = sorted(
    path
    for path in (*PACKAGING.rglob("*"), *(TOP / "tests/vm").rglob("*"))
    if path.is_file() and path.read_bytes().startswith(b"#!/bin/sh")
)
DEBIAN = {"pillow": "python3-pil", "pyserial": "python3-serial"}
"""Debian's packages of what the project needs, where it does not bring it along itself."""


def run(*words: str | Path, **environment: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a command, with more in its environment."""
    env = os.environ | {name: str(value) for name, value in environment.items()}
    return subprocess.run(words, capture_output=True, text=True, check=False, env=env)  # noqa: S603 - ours


def test_there_are_scripts() -> None:
    assert {"postinst", "prerm", "postrm", "stage", "install"} <= {path.name for path in SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_a_shell_can_read_the_script(script: Path) -> None:
    assert run("/bin/sh", "-n", script).stderr == ""


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_finds_nothing() -> None:
    assert run(shutil.which("shellcheck") or "", *SCRIPTS).stdout == ""


def test_every_dependency_is_brought_along_or_debians() -> None:
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *project["optional-dependencies"]["pi"]]
    names = {re.split(r"[<>=]", need)[0] for need in needed}
    vendored = set(re.findall(r"^(\S+)==", (PACKAGING / "vendored.in").read_text(), re.MULTILINE))
    control = (PACKAGING / "deb/control").read_text()
    for name in names - vendored:
        assert re.search(rf"\b{DEBIAN.get(name, f'python3-{name}')}\b", control), name


def test_what_is_brought_along_is_what_is_tested() -> None:
    pins = re.findall(r"^(\S+)==(\S+)$", (PACKAGING / "vendored.in").read_text(), re.MULTILINE)
    tested = (TOP / "requirements/test.txt").read_text()
    for name, version in pins:
        assert f"{name.replace('.', '-')}=={version} " in tested
        assert f"{name.replace('.', '-')}=={version} " in (PACKAGING / "vendored.txt").read_text()


def licences() -> list[tuple[list[str], str]]:
    """Return the patterns of each paragraph of the copyright file, and its licence."""
    told = (PACKAGING / "deb/copyright").read_text()
    paragraphs = re.findall(r"^Files: (.+)\n(?:.+\n)*?License: (\S+)$", told, re.MULTILINE)
    return [(files.split(), licence) for files, licence in paragraphs]


def licence_of(path: str) -> str:
    """Return the licence of a file of the package: the last paragraph that names it counts."""
    (*_, found) = (
        licence
        for patterns, licence in licences()
        if any(fnmatchcase(path, pattern) for pattern in patterns)
    )
    return found


@pytest.mark.parametrize(
    ("path", "licence"),
    [
        ("station/screens/fonts/terminus-bold.otb", "OFL-1.1"),
        ("station/screens/fonts/figures.png", "Bitstream-Vera"),
        ("gpiozero/devices.py", "BSD-3-clause"),
        ("gpiozerocli/pinout.py", "BSD-3-clause"),
        ("luma/oled/device/__init__.py", "Expat"),
        ("station/runner.py", "not-stated"),
    ],
)
def test_a_file_has_the_licence_of_whoever_made_it(path: str, licence: str) -> None:
    assert licence_of(f"usr/lib/dice-station/site/{path}") == licence


def test_every_font_comes_with_the_text_of_its_licence() -> None:
    fonts = TOP / "station/screens/fonts"
    told = (PACKAGING / "deb/copyright").read_text()
    for path in fonts.iterdir():
        if path.suffix == ".txt":
            assert f"fonts/{path.name}" in told
        else:
            assert licence_of(f"usr/lib/dice-station/site/{path.relative_to(TOP)}") != "not-stated"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A staged installation in small."""
    top = tmp_path / "tree"
    for name in ("bin/dice-station", "lib/dice-station/site/x.py", "lib/systemd/system/a.service"):
        path = top / "usr/local" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    shutil.copy(PACKAGING / "configure", top / "usr/local/lib/dice-station/configure")
    (top / "usr/local/lib/dice-station/python3").symlink_to("/usr/bin/python3")
    (top / "usr/local/lib/dice-station/lib/python3.11").mkdir(parents=True)
    packages = top / "usr/local/lib/dice-station/lib/python3.11/site-packages"
    packages.symlink_to("../../site")
    (top / "usr/local/share/doc/dice-station").mkdir(parents=True)
    (top / "usr/local/share/doc/dice-station/install.md").write_text("")
    return top


def test_uninstall_leaves_what_was_there_before_and_nothing_else(
    tree: Path, tmp_path: Path
) -> None:
    dest = tmp_path / "dest"
    (dest / "usr/local/bin").mkdir(parents=True)
    (dest / "usr/local/bin/other").write_text("")
    (dest / "etc/dice-station").mkdir(parents=True)
    (dest / "etc/dice-station/station.toml").write_text("[station]\n")
    before = {path for path in dest.rglob("*") if not path.is_dir()}

    installed = run(PACKAGING / "install", tree, "/usr/local", dest)
    assert installed.returncode == 0, installed.stderr
    assert (dest / "usr/local/lib/dice-station/python3").is_symlink()
    assert (dest / "usr/local/lib/systemd/system/a.service").is_file()

    removed = run(PACKAGING / "uninstall", "/usr/local", dest)
    assert removed.returncode == 0, removed.stderr
    assert {path for path in dest.rglob("*") if not path.is_dir()} == before
    assert not [path for path in dest.rglob("*dice-station*") if "etc" not in path.parts]
    folders = {path for path in dest.rglob("*") if path.is_dir()}
    assert folders == {dest / "usr", dest / "usr/local", dest / "usr/local/bin", dest / "etc"} | {
        dest / "etc/dice-station"
    }


def test_a_file_that_a_new_version_has_no_more_goes_with_the_old_one(
    tree: Path, tmp_path: Path
) -> None:
    dest = tmp_path / "dest"
    module = "usr/local/lib/dice-station/site/x.py"
    run(PACKAGING / "install", tree, "/usr/local", dest)
    assert (dest / module).is_file()
    (tree / module).rename(tree / module.replace("x.py", "y.py"))
    installed = run(PACKAGING / "install", tree, "/usr/local", dest)
    assert installed.returncode == 0, installed.stderr
    assert not (dest / module).exists()
    assert (dest / module.replace("x.py", "y.py")).is_file()
    assert len(list(dest.rglob("site-packages"))) == 1, "a link was copied to where it leads"
    assert run(PACKAGING / "uninstall", "/usr/local", dest).returncode == 0
    assert list(dest.iterdir()) == []


def command(folder: Path, name: str, script: str) -> None:
    """Put a command there, for a PATH."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def test_a_prefix_that_systemd_does_not_search_is_refused_before_anything_is_copied(
    tree: Path, tmp_path: Path
) -> None:
    prefix = tmp_path / "opt"
    done = run(PACKAGING / "install", tree, prefix, "")
    assert done.returncode == 1
    assert done.stderr == (
        f"PREFIX is {prefix}, where systemd looks for no units: it must be /usr/local or /usr\n"
    )
    assert not prefix.exists()


def test_nothing_is_installed_beside_the_package(tree: Path, tmp_path: Path) -> None:
    command(tmp_path / "bin", "dpkg-query", "printf installed")
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    # A tree without a file: should it not be refused, there is nothing to install.
    shutil.rmtree(tree / "usr")
    done = run(PACKAGING / "install", tree, "/usr/local", "", PATH=path)
    assert done.returncode == 1
    assert "sudo apt remove dice-station" in done.stderr
    assert not (tree / "manifest").exists()


@pytest.mark.parametrize("prefix", ["/usr", "/usr/local", "/opt/dice"])
def test_units_and_program_point_to_where_they_are_installed(prefix: str, tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    (wheels / "vendored").mkdir(parents=True)
    for name in ("dice_station-0", "vendored/a-py3-none-any", "vendored/gpiod-0-cp311_aarch64"):
        with zipfile.ZipFile(wheels / f"{name}.whl", "w") as wheel:
            wheel.writestr(f"{Path(name).name}.py", "")
    staged = run(PACKAGING / "stage", wheels, tmp_path / "tree", prefix, sys.executable)
    assert staged.returncode == 0, staged.stderr
    top = tmp_path / "tree" / prefix.lstrip("/")
    units = list((top / "lib/systemd/system").iterdir())
    assert len(units) > 3
    for unit in units:
        text = unit.read_text()
        (told,) = re.findall(r"^Documentation=file://(\S+)$", text, re.MULTILINE)
        assert (tmp_path / "tree" / told.lstrip("/")).is_file()
        for program in re.findall(r"/\S*/lib/dice-station/", text):
            if not program.startswith("/var/"):
                assert program == f"{prefix}/lib/dice-station/"
    python = top / "lib/dice-station/bin/python3"
    assert os.path.normpath(Path("/", prefix, "lib/dice-station/bin") / python.readlink()) == (
        "/usr/bin/python3"
    )


def test_uninstall_of_nothing_says_so(tmp_path: Path) -> None:
    done = run(PACKAGING / "uninstall", "/usr/local", tmp_path)
    assert done.returncode == 1
    assert "nothing is installed" in done.stderr
