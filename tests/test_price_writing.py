"""Prices into sheets: the two entries that change, and nothing else."""

import pytest
from priced import asked
from shell import ROOT

from simlab import lab


class TestWriting:
    @pytest.fixture
    def copied(self, whole, tmp_path):
        """The units of the run in a folder of their own."""
        target = tmp_path / "units" / "blitzkrieg"
        target.mkdir(parents=True)
        for name in ("m4a3_sherman_lp", "sherman_firefly_vc", "panther_g"):
            content = (ROOT / "units" / "blitzkrieg" / f"{name}.yaml").read_bytes()
            (target / f"{name}.yaml").write_bytes(content)
        return target

    def test_prices_go_into_the_sheets_and_nothing_else_changes(self, whole, copied, simlab):
        folder, found = whole
        before = {path.stem: path.read_text(encoding="utf-8") for path in copied.iterdir()}
        said = simlab(
            *asked(folder, copied.parent),
            *("--write", "--yes"),
        )
        assert said.code == 0
        assert said.errors[-1] == "2 sheets written"
        for path in copied.iterdir():
            after = path.read_text(encoding="utf-8")
            sheet = lab.find_sheet(str(path))
            if path.stem == "m4a3_sherman_lp":
                assert after == before[path.stem]
                continue
            old = lab.find_sheet(path.stem, units=ROOT / "units")
            price = found.units.set_index("id").loc[path.stem, "priced"]
            assert sheet.ecv.source == "priced"
            assert sheet.ecv.value == pytest.approx(price, rel=0.005)
            assert (
                sheet.provenance == f"{old.provenance} ECV before it was priced: {old.ecv.value:g} (draft)."
            )
            kept = [line for line in before[path.stem].splitlines() if line in after.splitlines()]
            gone = set(before[path.stem].splitlines()) - set(kept)
            assert all(line.startswith(("ecv:", "provenance:", " ")) for line in gone)
            assert max(map(len, after.splitlines())) <= max(120, *map(len, before[path.stem].splitlines()))
            assert after.splitlines()[0] == before[path.stem].splitlines()[0]

    def test_without_a_terminal_it_asks_for_yes(self, whole, copied, simlab):
        folder, _ = whole
        before = {path: path.read_bytes() for path in copied.iterdir()}
        said = simlab(
            *asked(folder, copied.parent),
            "--write",
        )
        assert said.code == 2
        assert "--yes, to write without a question" in said.errors[-1]
        assert {path: path.read_bytes() for path in copied.iterdir()} == before

    def test_comments_line_ends_and_empty_lines_stay(self, whole, copied):
        _, found = whole
        path = copied / "panther_g.yaml"
        text = path.read_text(encoding="utf-8")
        old = "ecv: {value: 996, source: draft}\n"
        assert old in text
        text = text.replace(
            old, "ecv:   # my price\n  value: 996   # was 900\n  # think\n  source: draft\n# below\n"
        )
        start = text.index("provenance:")
        stop = text.index("\ndefense:")
        text = text[:start] + "provenance: >\n  One.\n\n  Two.\n\n# of the hull\n" + text[stop + 1 :]
        path.write_bytes(text.replace("\n", "\r\n").encode())
        lab.write_changes(lab.price_changes(found, copied.parent))
        after = path.read_bytes().decode()
        assert after.count("\r\n") == after.count("\n")
        lines = after.splitlines()
        comments = ["# my price", "# was 900", "# think", "# below", "# of the hull"]
        assert [line for line in lines if line in comments] == comments
        assert max(map(len, lines)) <= 120 or max(map(len, text.splitlines())) > 120
        assert lab.find_sheet(str(path)).provenance.endswith("ECV before it was priced: 996 (draft).")

    def test_what_was_priced_is_not_written_twice(self, whole, copied):
        _, found = whole
        lab.write_changes(lab.price_changes(found, copied.parent))
        assert lab.price_changes(found, copied.parent) == []
