"""A small tidy store, and what `curate` finds in it, by section: the fixture and calls its tests share."""

from __future__ import annotations

from typing import Any

import pytest
from inside import Inside
from repository import Repo

# what else a store holds, so that no word is in all of it
OTHERS = (
    "vendor the zlib sources",
    "replace the scheduler by cron",
    "sign releases with one shared key",
    "run migrations while the service starts",
    "shard sessions over two regions",
    "render invoices in the browser",
)


@pytest.fixture(name="store")
def store_fixture(repo: Repo) -> Repo:
    for route in OTHERS:
        repo.record(route=route, observation="it did not hold")
    return repo


def sections(chalk: Inside, *args: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for one in chalk.json("curate", *args)["findings"]:
        found.setdefault(one["section"], []).append(one)
    return found


def ids(found: dict[str, list[dict[str, Any]]], section: str) -> list[set[str]]:
    return [{record["id"] for record in one["records"]} for one in found.get(section, [])]
