"""Verdicts are read from the pixels alone, by a program that reads print."""

import io
import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from itertools import islice

import pytest
from PIL import Image, ImageFilter, ImageOps

from rules.dial import controls, fresh, turned
from rules.model import AskChoice, AskDice, Chosen, Rolled, RuleSystem
from rules.registry import DEFAULT
from station.pages import verdict_pages
from station.panel import FIGURE_HEIGHT, Panel
from station.rolls import Roll
from station.screens.canvas import Canvas
from station.screens.layout import paint
from station.views import SummaryView

READER = shutil.which("tesseract")
SCALE = 4
BAR_INK = (2, 14)
"""The rows of the bar without its edge."""

APART = 16
"""Pixels between the two numbers, where the panel has the small word between them."""

READ_RIGHT = 0.95
"""The share of verdicts that must be read without a fault."""

needs_a_reader = pytest.mark.skipif(
    READER is None, reason="tesseract is not installed (Debian package tesseract-ocr)"
)


def verdicts(chance: random.Random) -> Iterator[SummaryView]:
    """Yield the first pages of random verdicts with a number to reach, of all systems in turn."""
    while True:
        for system in DEFAULT:
            shown = verdict_pages(DEFAULT, rolled(system, chance), Panel())[0]
            if isinstance(shown, SummaryView) and None not in (shown.value, shown.need):
                yield shown


def rolled(system: RuleSystem, chance: random.Random) -> Roll:
    request = fresh(chance.choice(system.kinds))
    for _ in range(6):
        control = chance.choice(controls(request))
        request = turned(request, control.path, chance.choice((-3, -1, 1, 2, 4, 8)))
    roll = Roll(request, seq=chance.randrange(1, 9999))
    while isinstance(step := system.advance(request, roll.answers), AskDice | AskChoice):
        if isinstance(step, AskDice):
            answer = Rolled(tuple(chance.choices(range(1, 7), k=step.count)))
        else:
            answer = Chosen(chance.choice(step.options).id)
        roll = Roll(request, (*roll.answers, answer), seq=roll.seq)
    return roll


def enlarged(image: Image.Image, soft: int) -> Image.Image:
    """Return dark print on white, four times as large, its steps smoothed by so many pixels."""
    grey = image.convert("L")
    if sum(grey.histogram()[128:]) < grey.width * grey.height / 2:
        grey = ImageOps.invert(grey)
    large = grey.resize((grey.width * SCALE, grey.height * SCALE), Image.Resampling.NEAREST)
    return ImageOps.expand(large.filter(ImageFilter.GaussianBlur(soft)), 24, 255)


def read(image: Image.Image, *settings: str) -> str:
    """Return the one line of text in an image."""
    data = io.BytesIO()
    image.save(data, "PNG")
    words = (READER, "-", "-", "--psm", "7", "--dpi", "300", *settings)
    alone = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    done = subprocess.run(  # noqa: S603 - our own words
        words, input=data.getvalue(), capture_output=True, check=True, env=alone
    )
    return done.stdout.decode().strip()


def word_on(canvas: Canvas) -> str:
    """Return the word that is read from the bar."""
    word = canvas.placed[0].box
    return read(enlarged(canvas.image.crop((word[0], BAR_INK[0], word[2], BAR_INK[1])), 1))


def numbers_on(canvas: Canvas) -> str:
    """Return the total and the number to reach that are read from the large figures."""
    boxes = [each.box for each in canvas.placed if each.box[3] - each.box[1] == FIGURE_HEIGHT]
    line = Image.new("1", (canvas.width + APART, FIGURE_HEIGHT))
    left = 0
    for box in boxes:
        line.paste(canvas.image.crop(box), (left, 0))
        left += box[2] - box[0] + APART
    dark = line.crop((0, 0, left - APART, FIGURE_HEIGHT))
    return read(enlarged(dark, 3), "-c", "tessedit_char_whitelist=-0123456789 ")


def misread(shown: SummaryView) -> str:
    """Return how a verdict was read where that is not what it says; empty where it is."""
    canvas = paint(shown, Panel())
    word, numbers = word_on(canvas), numbers_on(canvas)
    wanted = f"{shown.value}{shown.need}"
    right = word.lower() == shown.word.lower() and numbers.replace(" ", "") == wanted
    return "" if right else f"{shown.word} {shown.value} vs {shown.need}: {word} {numbers}"


@needs_a_reader
@pytest.mark.parametrize(
    ("count", "seed"), [(40, 1), pytest.param(200, 2, marks=[pytest.mark.slow])]
)
def test_word_total_and_number_to_reach_are_read_from_a_fourfold_enlargement(
    count: int, seed: int
) -> None:
    chance = random.Random(seed)  # noqa: S311 - reproducible
    wrong = [told for shown in islice(verdicts(chance), count) if (told := misread(shown))]
    assert len(wrong) <= count * (1 - READ_RIGHT), wrong
