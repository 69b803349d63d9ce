"""Canonical JSON and the 64-bit hashes made of it: the addresses of sheets, fights and stored rows."""

import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from simlab.model.situation import Situation


def canonical_number(value: float) -> int | float:
    """Return the shortest decimal form of a number: a float that is whole becomes an int (24.0 is 24)."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def canonical_value(value: Any) -> Any:
    """Return `value` with numbers in shortest form and mappings and sequences rebuilt from plain types."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return canonical_number(value)
    if isinstance(value, Mapping):
        return {str(key): canonical_value(item) for key, item in value.items()}
    return [canonical_value(item) for item in value]


def canonical_json(value: Any) -> str:
    """Return the one JSON text of `value`: sorted keys, no spaces, shortest numbers, no NaN."""
    return _json(canonical_value(value))


def digest(value: Any) -> str:
    """Return the 64-bit BLAKE2b of the canonical JSON of `value` as 16 hexadecimal digits."""
    return digest_canonical(canonical_value(value))


def digest_canonical(value: Any) -> str:
    """Return the digest of what `canonical_value` returned, without another pass over it."""
    return hashlib.blake2b(_json(value).encode(), digest_size=8).hexdigest()


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def fight_key(
    system: str,
    rules_version: str,
    fight_hashes_a: Sequence[str],
    fight_hashes_b: Sequence[str],
    situation: Situation,
    non_default_options: Mapping[str, Any],
) -> int:
    """Return the 64-bit key under which a fight's dice are drawn.

    The number of fights, the number of turns, policies and file names are no part of it.
    """
    content = {
        "system": system,
        "rules": rules_version,
        "sides": {"a": list(fight_hashes_a), "b": list(fight_hashes_b)},
        "situation": situation.content(),
        "readings": dict(non_default_options),
    }
    return int(digest(content), 16)


def alike(digests: Iterable[tuple[str, Hashable]]) -> list[list[str]]:
    """Return the groups, of two or more names, that have the same digest, in order of appearance."""
    groups: dict[Hashable, list[str]] = {}
    for name, value in digests:
        groups.setdefault(value, []).append(name)
    return [names for names in groups.values() if len(names) > 1]
