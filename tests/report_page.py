"""A page read as a browser reads it."""

import html.parser

VOID = {"meta", "input", "br", "img", "link", "hr"}


class Page(html.parser.HTMLParser):
    """A page read as a browser reads it: tags with attributes, tables as texts, and whether tags are balanced."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.values: dict[str, list[list[str | None]]] = {}
        self.scripts: list[str] = []
        self.words: list[str] = []
        self.table = ""
        self.feed(text)
        self.close()
        assert not self.open, self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        assert len(named) == len(attrs), (tag, attrs)
        self.tags.append((tag, named))
        if tag not in VOID:
            self.open.append(tag)
        if tag == "table":
            self.table = str(named.get("id"))
            self.tables[self.table], self.values[self.table] = [], []
        if tag == "tr" and self.table:
            self.tables[self.table].append([])
            self.values[self.table].append([])
        if tag in ("td", "th") and self.table:
            self.tables[self.table][-1].append("")
            self.values[self.table][-1].append(named.get("data-v"))
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"too many </{tag}>"
        assert self.open.pop() == tag
        if tag == "table":
            self.table = ""

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
            return
        self.words.append(data)
        if self.table and {"td", "th"} & set(self.open):
            self.tables[self.table][-1][-1] += data

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def rows(self, name: str) -> list[list[str]]:
        """The rows of a table by its id, without its head."""
        return self.tables[name][1:]
