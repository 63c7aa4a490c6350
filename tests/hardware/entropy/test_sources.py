"""Each source gives what it was asked for, or fails with one sentence by the deadline."""

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hardware.clock import MILLISECOND, SECOND, Clock, Nanoseconds
from hardware.entropy.sources import (
    PAUSE,
    EntropySource,
    HardwareRng,
    Pause,
    SeededSource,
    SourceFailed,
    Urandom,
    seeded,
)

Fifo = tuple[str, int]
Closing = Callable[[HardwareRng], HardwareRng]
DEADLINE = Nanoseconds(2 * SECOND)


@pytest.fixture
def fifo(tmp_path: Path) -> Iterator[Fifo]:
    """A FIFO in place of the device, and the end to write into."""
    path = tmp_path / "hwrng"
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR | os.O_NONBLOCK)
    yield str(path), writer
    os.close(writer)


@pytest.fixture
def closing() -> Iterator[Closing]:
    """Close each source that went through this, at the end."""
    held: list[HardwareRng] = []

    def hold(source: HardwareRng) -> HardwareRng:
        held.append(source)
        return source

    yield hold
    for source in held:
        source.close()


@pytest.mark.parametrize("count", [1, 2, 256, 1000])
def test_urandom_gives_exactly_the_count(count: int) -> None:
    assert len(Urandom().read(count, Nanoseconds(0))) == count


def test_urandom_without_a_kernel_generator_is_a_failed_source(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(_: int) -> bytes:
        raise NotImplementedError("no source of randomness")

    monkeypatch.setattr(os, "urandom", none)
    with pytest.raises(SourceFailed, match="urandom failed: no source of randomness"):
        Urandom().read(1, Nanoseconds(0))


def test_the_device_is_asked_for_the_exact_size_and_a_short_read_is_an_answer(
    fifo: Fifo, closing: Closing, clock: Clock, pass_time: Pause, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, writer = fifo
    asked: list[int] = []
    real = os.read

    def spy(fd: int, size: int) -> bytes:
        asked.append(size)
        return real(fd, size)

    source = closing(HardwareRng(path, clock, pass_time))
    os.write(writer, b"abcdef")
    monkeypatch.setattr(os, "read", spy)
    assert source.read(4, DEADLINE) == b"abcd"
    assert source.read(4, DEADLINE) == b"ef"
    assert asked == [4, 4]


def test_the_device_is_opened_without_blocking_and_not_inherited(
    fifo: Fifo, closing: Closing, clock: Clock, pass_time: Pause, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, writer = fifo
    flags: list[int] = []
    real = os.open

    def spy(name: str, how: int) -> int:
        flags.append(how)
        return real(name, how)

    os.write(writer, b"x")
    monkeypatch.setattr(os, "open", spy)
    closing(HardwareRng(path, clock, pass_time)).read(1, DEADLINE)
    assert flags == [os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC]


def test_a_device_with_nothing_yet_is_looked_at_again_until_it_has(
    fifo: Fifo, closing: Closing, clock: Clock, pass_time: Pause
) -> None:
    path, writer = fifo
    pauses: list[int] = []

    def pause(span: Nanoseconds) -> None:
        pass_time(span)
        pauses.append(span)
        if len(pauses) == 3:
            os.write(writer, b"late")

    source = closing(HardwareRng(path, clock, pause))
    assert source.read(10, DEADLINE) == b"late"
    assert pauses == [PAUSE] * 3


def test_eagain_for_ever_fails_at_the_deadline_and_lets_go_of_the_device(
    fifo: Fifo, clock: Clock, pass_time: Pause, open_descriptors: Callable[[], int]
) -> None:
    path, _ = fifo
    before = open_descriptors()
    with pytest.raises(SourceFailed, match="hwrng gave nothing by the deadline"):
        HardwareRng(path, clock, pass_time).read(1, Nanoseconds(2 * SECOND + MILLISECOND))
    assert clock() == 2 * SECOND + MILLISECOND
    assert open_descriptors() == before


def test_a_failed_device_is_opened_again_by_the_next_read(
    fifo: Fifo, closing: Closing, clock: Clock, pass_time: Pause
) -> None:
    path, writer = fifo
    source = closing(HardwareRng(path, clock, pass_time))
    with pytest.raises(SourceFailed):
        source.read(1, Nanoseconds(1))
    os.write(writer, b"back")
    assert source.read(4, DEADLINE) == b"back"


def test_a_device_whose_other_end_is_gone_has_ended(
    tmp_path: Path, clock: Clock, pass_time: Pause
) -> None:
    path = tmp_path / "hwrng"
    os.mkfifo(path)
    with pytest.raises(SourceFailed, match="hwrng ended"):
        HardwareRng(str(path), clock, pass_time).read(1, DEADLINE)


def test_a_missing_device_says_so(tmp_path: Path, clock: Clock, pass_time: Pause) -> None:
    with pytest.raises(SourceFailed, match="/gone does not exist"):
        HardwareRng(f"{tmp_path}/gone", clock, pass_time).read(1, DEADLINE)


def test_a_plain_file_is_refused_because_it_would_repeat_itself(
    tmp_path: Path, clock: Clock, pass_time: Pause, open_descriptors: Callable[[], int]
) -> None:
    (tmp_path / "file").write_bytes(bytes(range(256)))
    before = open_descriptors()
    with pytest.raises(SourceFailed, match="is a plain file"):
        HardwareRng(f"{tmp_path}/file", clock, pass_time).read(1, DEADLINE)
    assert open_descriptors() == before


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (errno.ENODEV, "has no generator behind it (rng_current is none)"),
        (errno.EIO, "failed: Input/output error"),
    ],
)
def test_a_device_that_says_no_is_a_failed_source(  # noqa: PLR0917 - fixtures
    number: int,
    sentence: str,
    fifo: Fifo,
    clock: Clock,
    pass_time: Pause,
    monkeypatch: pytest.MonkeyPatch,
    open_descriptors: Callable[[], int],
) -> None:
    path, _ = fifo
    before = open_descriptors()

    def refuse(_fd: int, _size: int) -> bytes:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "read", refuse)
    with pytest.raises(SourceFailed) as caught:
        HardwareRng(path, clock, pass_time).read(1, DEADLINE)
    monkeypatch.undo()
    assert str(caught.value) == f"{path} {sentence}"
    assert open_descriptors() == before


def test_a_forbidden_device_names_the_udev_rule(
    fifo: Fifo, clock: Clock, pass_time: Pause, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: str, _flags: int) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(SourceFailed, match="udev rule"):
        HardwareRng(fifo[0], clock, pass_time).read(1, DEADLINE)


def test_a_seeded_source_repeats_itself_however_it_is_read() -> None:
    whole = seeded(7, test=True).read(100, DEADLINE)
    parts = seeded(7, test=True)
    assert b"".join(parts.read(n, DEADLINE) for n in (1, 32, 33, 34)) == whole
    assert seeded(8, test=True).read(100, DEADLINE) != whole


def test_a_seeded_source_says_what_it_is() -> None:
    source = seeded(7, test=True)
    assert source.name == "seeded(7)"
    assert source.test is True


def test_a_seeded_source_needs_the_test_flag_and_its_factory() -> None:
    with pytest.raises(SourceFailed, match="under the test flag only"):
        seeded(7, test=False)
    with pytest.raises(SourceFailed, match=r"made by seeded\(\) alone"):
        SeededSource(7, object())
    with pytest.raises(TypeError):
        seeded(7)  # type: ignore[call-arg] # that it has no default is what is tested


@pytest.mark.parametrize("source", [Urandom(), HardwareRng()])
def test_real_sources_are_no_test(source: EntropySource) -> None:
    assert source.test is False
