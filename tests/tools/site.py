"""Built pages as a reader's browser gets them: headings, links, pictures, what is loaded."""

from __future__ import annotations

import dataclasses
import itertools
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
"""Elements that load what their attribute names."""


@dataclasses.dataclass
class Found(HTMLParser):
    """What stands in a page."""

    levels: list[int] = dataclasses.field(default_factory=list)  #: Of its headings, in order.
    #: anchors, links, loaded: names that links may end with; addresses of links; of scripts,
    #: styles, fonts and pictures.
    anchors: set[str] = dataclasses.field(default_factory=set)
    links: list[str] = dataclasses.field(default_factory=list)
    loaded: list[str] = dataclasses.field(default_factory=list)
    #: Pictures without words for those who do not see them.
    silent: list[str] = dataclasses.field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {key: value or "" for key, value in attrs}
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.levels.append(int(tag[1]))
        self.anchors |= {given[key] for key in ("id", "name") if key in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and LOADED[tag] in given:
            self.loaded.append(given[LOADED[tag]])
        if tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.append(given["href"])
        if tag == "img" and not given.get("alt", "").strip():
            self.silent.append(given.get("src", ""))


def read(path: Path) -> Found:
    """Parse a page."""
    found = Found()
    found.feed(path.read_text())
    return found


def wrong_headings(levels: list[int]) -> str:
    """What is wrong with the levels of a page's headings; empty where nothing is.

    >>> wrong_headings([1, 2, 3, 2]), wrong_headings([2, 3]), wrong_headings([1, 3])
    ('', 'it begins with level 2', 'level 3 follows level 1')
    >>> wrong_headings([1, 2, 1]), wrong_headings([])
    ('2 titles', 'no heading')
    """
    if not levels:
        return "no heading"
    if levels[0] != 1:
        return f"it begins with level {levels[0]}"
    if levels.count(1) > 1:
        return f"{levels.count(1)} titles"
    for above, below in itertools.pairwise(levels):
        if below > above + 1:
            return f"level {below} follows level {above}"
    return ""


def dead_links(pages: dict[Path, Found]) -> list[str]:
    """Links inside a site that lead nowhere, with the page that has them."""
    dead = []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target in pages:
                if parts.fragment and unquote(parts.fragment) not in pages[target].anchors:
                    dead.append(f"{path.name}: {link}: no such anchor")
            elif not target.is_file():
                dead.append(f"{path.name}: {link}: no such file")
    return dead


def foreign(page: Found) -> list[str]:
    """What a page loads from elsewhere."""
    return [address for address in page.loaded if urlsplit(address).scheme not in ("", "data")
            or urlsplit(address).netloc]  # fmt: skip


OVERFLOW = """
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
if (wide <= 0) return [];
return [wide + ' px', ...Array.from(document.querySelectorAll('article *')).filter(
    e => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map(
    e => e.tagName + '.' + e.className + ': ' + e.textContent.slice(0, 60))];
"""
"""Script: by how much a page is wider than its window, and what makes it so."""

CONTRAST = """
function parts(colour) {
  const found = colour.match(/[\\d.]+/g).map(Number);
  const scale = colour.startsWith('color(') ? 255 : 1;
  return [...found.slice(0, 3).map(v => v * scale), found.length > 3 ? found[3] : 1];
}
function over(top, below) {
  return [0, 1, 2].map(k => top[k] * top[3] + below[k] * (1 - top[3])).concat(1);
}
function behind(element) {
  const layers = [];
  for (let e = element; e; e = e.parentElement) {
    const colour = parts(getComputedStyle(e).backgroundColor);
    if (colour[3] > 0) layers.push(colour);
    if (colour[3] === 1) break;
  }
  const page = parts(getComputedStyle(document.body).backgroundColor);
  const paper = page[3] ? page : [255, 255, 255, 1];
  return layers.reduceRight((below, layer) => over(layer, below), paper);
}
function light(colour) {
  const [r, g, b] = colour.slice(0, 3).map(v => v / 255).map(
    v => v <= 0.04045 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
const seen = new Set(), poor = [];
let count = 0;
while (walker.nextNode()) {
  const element = walker.currentNode.parentElement;
  if (!walker.currentNode.textContent.trim() || !element.checkVisibility(
      {opacityProperty: true, visibilityProperty: true})) continue;
  const style = getComputedStyle(element), back = behind(element);
  const fore = over(parts(style.color), back);
  const key = fore.join() + back.join() + style.fontSize + style.fontWeight;
  count += 1;
  if (seen.has(key)) continue;
  seen.add(key);
  const [a, b] = [light(fore), light(back)].sort((x, y) => y - x);
  const size = parseFloat(style.fontSize);
  const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < (large ? 3 : 4.5)) {
    const words = walker.currentNode.textContent.trim().slice(0, 40);
    poor.push([ratio.toFixed(2), element.tagName + '.' + element.className, style.color, 'on',
      back.map(Math.round), words].join(' '));
  }
}
return [count, poor];
"""
"""Script: how many texts a page shows, and which have less than the contrast of WCAG 2 AA."""
