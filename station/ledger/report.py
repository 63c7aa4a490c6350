"""The ledger as one page with plots: self-contained, no script, nothing fetched from anywhere."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from math import sqrt

from station.ledger.export import all_records
from station.ledger.fairness import ENOUGH_DICE, Fairness
from station.ledger.figures import Bar, Comparison, Evening, Figures, gathered
from station.ledger.plots import plot
from station.ledger.reader import Reader
from station.ledger.tally import SIDES

MOST_EVENINGS = 30
"""Evenings that the plots show, the latest ones."""

STYLE = """
:root{color-scheme:light dark;--page:#fcfcfb;--card:#fff;--ink:#1d1d1b;--soft:#5f5e5a;
--line:#e4e2dc;--bar:#3b7dd8;--band:#1d1d1b3d;--mark:#1d1d1b}
@media(prefers-color-scheme:dark){:root{--page:#181817;--card:#20201e;--ink:#eeede8;
--soft:#a5a39c;--line:#35342f;--bar:#5a97e6;--band:#eeede852;--mark:#eeede8}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
main{max-width:52rem;margin:0 auto;padding:2rem 1rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 .25rem}
h2{font-size:1.2rem;margin:2.75rem 0 .25rem}
h3{font-size:1rem;margin:0 0 .25rem}
p{margin:.25rem 0 .75rem;max-width:44rem}
.soft,figcaption,footer{color:var(--soft)}
figure{margin:.75rem 0;padding:1rem;background:var(--card);border:1px solid var(--line);
border-radius:8px}
figcaption{font-size:.875rem;margin-top:.25rem}
svg{display:block;width:100%;height:auto}
text{font-size:12px;fill:var(--soft);font-variant-numeric:tabular-nums}
.bar{fill:var(--bar)}.band{fill:var(--band)}.place{fill:transparent}
.mark{stroke:var(--mark);stroke-width:2}
.grid{stroke:var(--line)}.base{stroke:var(--soft)}
g:hover .bar{filter:brightness(1.12)}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(9rem,1fr));gap:.75rem;margin:1.25rem 0}
dl div{padding:.75rem 1rem;background:var(--card);border:1px solid var(--line);border-radius:8px}
dt{font-size:.8125rem;color:var(--soft)}dd{margin:0;font-size:1.375rem;font-weight:600}
.key{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;font-size:.875rem;color:var(--soft)}
.key span{display:inline-flex;align-items:center;gap:.4rem}
.key svg{width:1.25rem;height:.9rem;flex:none}
details{font-size:.875rem;margin-top:.5rem}
summary{cursor:pointer;color:var(--soft)}
table{border-collapse:collapse;margin-top:.5rem;font-variant-numeric:tabular-nums}
th,td{padding:.15rem .9rem .15rem 0;text-align:right;border-bottom:1px solid var(--line)}
th:first-child,td:first-child{text-align:left}
th{font-weight:600;color:var(--soft)}
footer{margin-top:3rem;font-size:.8125rem;overflow-wrap:anywhere}
@media(max-width:40rem){text{font-size:18px}}
@media print{figure,dl div{break-inside:avoid}}
"""

_KEY = (
    '<p class="key">'
    '<span><svg viewBox="0 0 20 14"><rect class="bar" width="20" height="14" rx="3"/></svg>'
    "what fell</span>"
    '<span><svg viewBox="0 0 20 14"><line class="mark" x2="20" y1="7" y2="7"/></svg>'
    "what the exact odds led to expect</span>"
    '<span><svg viewBox="0 0 20 14"><rect class="band" x="6" width="8" height="14"/></svg>'
    "where 19 of 20 bars of fair dice end</span></p>"
)

_ENDING = (
    "The chain ends with row {}. The command <code>dice-station verify</code> checks every "
    "outcome again."
)


def report(reader: Reader) -> str:
    """Return the whole page (HTML)."""
    figures = gathered(all_records(reader))
    findings = reader.fairness_all()
    body = "\n".join(
        [
            *_opening(figures, findings[0]),
            *_faces(findings),
            *_reached(figures),
            *_degrees(figures),
            *_evenings(figures.evenings),
            f"<footer>{_ENDING.format(reader.head())}</footer>",
        ]
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" '
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n"
        '<link rel="icon" href="data:,">\n'
        f"<title>Dice station: report</title>\n<style>{STYLE}</style></head>\n"
        f"<body><main>\n{body}\n</main></body></html>\n"
    )


def _opening(figures: Figures, everything: Fairness) -> Iterator[str]:
    yield "<h1>What the dice did</h1>"
    yield f'<p class="soft">{escape(_period(figures))}</p>'
    tiles = (
        ("Rolls", f"{figures.rolls:,}"),
        ("Dice", f"{everything.dice:,}"),
        ("Evenings", f"{len(figures.evenings):,}"),
        ("Did not count", f"{figures.void:,}"),
    )
    yield f"<dl>{''.join(f'<div><dt>{n}</dt><dd>{v}</dd></div>' for n, v in tiles)}</dl>"
    if figures.rolls:
        yield _KEY
    if figures.unknown:
        yield f"<p>{figures.unknown:,} rolls of earlier rules are only counted.</p>"


def _period(figures: Figures) -> str:
    if not figures.evenings:
        return "No rolls yet."
    first, last = figures.evenings[0].label, figures.evenings[-1].label
    span = first if first == last else f"{first} to {last}"
    return f"{span}, written {datetime.now().astimezone():%Y-%m-%d %H:%M}"


def _faces(findings: Sequence[Fairness]) -> Iterator[str]:
    everything, *sources = findings
    yield "<h2>Faces</h2>"
    if everything.dice:
        yield "<p>Dice that the station drew itself; what was rolled by hand stands apart.</p>"
        yield _face_figure(everything, "All dice")
    if len(sources) > 1 or (sources and not everything.dice):
        yield "<h2>Faces by source</h2>"
        for found in sources:
            yield _face_figure(found, found.source)


def _face_figure(found: Fairness, title: str) -> str:
    share = 1 / SIDES
    deviation = sqrt(share * (1 - share) / found.dice)
    bars = [
        Bar(str(face), count / found.dice, share, deviation)
        for face, count in enumerate(found.counts, 1)
    ]
    opinions = [
        f"{name} p = {opinion.p:.3g}"
        for name, opinion in (("runs", found.runs), ("serial correlation", found.serial))
        if opinion is not None
    ]
    numbers = [
        f"{found.dice:,} dice",
        f"chi-square {found.chi_square:.2f} (5 degrees of freedom), p = {found.p:.3g}",
        *opinions,
    ]
    caption = f"{'; '.join(numbers)}. {found.words[0].upper()}{found.words[1:]}."
    table = _table(
        ("face", "count", "share"),
        [
            (str(face), f"{count:,}", f"{100 * count / found.dice:.2f} %")
            for face, count in enumerate(found.counts, 1)
        ],
    )
    svg = plot(bars, f"{title}: share of each face", "face", percent=True)
    return _figure(title, svg, caption, table)


def _reached(figures: Figures) -> Iterator[str]:
    if figures.reached:
        yield "<h2>What was reached, against the odds of what was asked</h2>"
        yield (
            "<p>Every roll adds its own exact chances to the marks, so easy and hard requests "
            "weigh as often as they were made.</p>"
        )
    for comparison in figures.reached.values():
        yield _comparison(comparison)


def _degrees(figures: Figures) -> Iterator[str]:
    if figures.degrees.rolls:
        yield "<h2>Degrees of success</h2>"
        yield _comparison(figures.degrees)


def _comparison(comparison: Comparison) -> str:
    bars = comparison.bars()
    table = _table(
        (comparison.values, "rolls", "expected"),
        [(bar.label, f"{bar.count:,}", f"{bar.expected:,.1f}") for bar in bars],
    )
    svg = plot(bars, f"{comparison.title}: rolls by {comparison.values}", comparison.values)
    few = "; too few to tell" if comparison.rolls < ENOUGH_DICE else ""
    rolls = "1 roll" if comparison.rolls == 1 else f"{comparison.rolls:,} rolls"
    told = f"{rolls}, counted by what they reached{few}."
    return _figure(comparison.title, svg, told, table)


def _evenings(evenings: Sequence[Evening]) -> Iterator[str]:
    tested = [evening for evening in evenings if evening.tests][-MOST_EVENINGS:]
    if not tested:
        return
    yield "<h2>Evening by evening</h2>"
    bars = [
        Bar(
            evening.label,
            evening.successes / evening.tests,
            evening.expected / evening.tests,
            sqrt(evening.variance) / evening.tests,
        )
        for evening in tested
    ]
    table = _table(
        ("evening", "rolls", "tests", "succeeded", "expected"),
        [
            (e.label, f"{e.rolls:,}", f"{e.tests:,}", f"{e.successes:,}", f"{e.expected:,.1f}")
            for e in tested
        ],
    )
    told = "Share of the tests that succeeded, against the chances they had."
    if len(tested) < len(evenings):
        told += f" The last {len(tested)} of {len(evenings):,} evenings."
    shown = [Bar(_short(bar.label), bar.count, bar.expected, bar.deviation) for bar in bars]
    svg = plot(shown, "Share of successful tests by evening", "evening", percent=True)
    yield _figure("Successes", svg, told, table)


def _short(label: str) -> str:
    """Return an evening's label for the room below a bar: month and day."""
    return label[5:] if label[:4].isdecimal() else label.removeprefix("start ")


def _figure(title: str, svg: str, caption: str, table: str) -> str:
    return (
        f"<figure><h3>{escape(title)}</h3>{svg}<figcaption>{escape(caption)}</figcaption>"
        f"<details><summary>the numbers</summary>{table}</details></figure>"
    )


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    first = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>"
