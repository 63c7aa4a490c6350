"""A thread hangs where a piece of work takes too long, never where it waits for some."""

from hardware.clock import Nanoseconds
from hardware.progress import HANGS_AFTER, Progress


class Clock:
    """A time that is set."""

    now = Nanoseconds(7)

    def __call__(self) -> Nanoseconds:
        return self.now

    def pass_by(self, span: int) -> None:
        self.now = Nanoseconds(self.now + span)


def test_who_waits_never_hangs() -> None:
    clock = Clock()
    progress = Progress(clock)
    clock.pass_by(100 * HANGS_AFTER)
    assert not progress.hangs()
    progress.works()
    progress.waits()
    clock.pass_by(100 * HANGS_AFTER)
    assert not progress.hangs()


def test_who_works_too_long_hangs_until_the_work_is_done() -> None:
    clock = Clock()
    progress = Progress(clock)
    progress.works()
    clock.pass_by(HANGS_AFTER)
    assert not progress.hangs()
    clock.pass_by(1)
    assert progress.hangs()
    progress.works()
    assert not progress.hangs()
