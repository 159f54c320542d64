"""The merge of records comes with the hooks, is told where it is missing, and goes without a trace."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hooking import git, way_fixture  # noqa: F401
from inside import Inside, chalk_fixture  # noqa: F401
from repository import Repo

from chalkgit.doors.setup import drivers, shim

ATTRIBUTES = ".lessons/.gitattributes"
PUBLISHED = Path(__file__).parents[1] / "hooks" / "git" / "merge-driver.gitconfig"
MISSING = "records are merged as text"


def setting(repo: Repo, key: str) -> str:
    return git(repo, "config", "--get", key).out.removesuffix("\n")


def test_it_comes_and_goes_with_the_hooks(repo: Repo, chalk: Inside, way: str) -> None:
    config = repo.root / ".git/config"
    before = config.read_bytes()
    said = chalk("hooks", "install")
    assert (said.code, said.out.count("the merge of records (merge.chalkgit)")) == (0, 1)
    mark = shim.read(setting(repo, drivers.DRIVER))
    assert mark is not None
    assert not mark.edited
    installed = config.read_bytes()
    again = chalk("hooks", "install")
    assert "merge of records" not in again.out
    assert config.read_bytes() == installed
    assert "removed from git's settings: the merge of records" in chalk("hooks", "uninstall").out
    assert config.read_bytes() == before
    assert "merge of records" not in chalk("hooks", "uninstall").out


def test_init_installs_it_with_the_hooks_alone(repo: Repo, chalk: Inside) -> None:
    assert chalk("init").code == 0
    assert setting(repo, drivers.DRIVER) == ""
    assert chalk("init", "--hooks").code == 0
    assert "merge-driver" in setting(repo, drivers.DRIVER)


def test_what_an_older_chalkgit_wrote_is_renewed(repo: Repo, chalk: Inside) -> None:
    older = shim._summed(shim._mark(shim.DRIVER, False).replace(shim.__version__, "0.0.1") + "\nfalse")
    repo.git("config", drivers.DRIVER, older)
    assert "was written by chalkgit 0.0.1" in chalk("hooks", "status").out
    assert chalk("hooks", "install").code == 0
    assert "was written by" not in chalk("hooks", "status").out


@pytest.mark.parametrize("scope", ["--local", "--global"])
@pytest.mark.parametrize("key", [drivers.DRIVER, drivers.NAME, drivers.HEADING])
def test_a_setting_of_the_users_own_is_left_and_told(repo: Repo, chalk: Inside, scope: str, key: str) -> None:
    repo.git("config", scope, key, "mine %O %A %B")
    for command in ("install", "uninstall"):
        said = chalk("hooks", command)
        assert setting(repo, key) == "mine %O %A %B"
        if command == "install" or (scope == "--local" and key != drivers.NAME):
            assert (said.code, f"{key} is not chalkgit's, and stays as it is" in said.err) == (2, True)
        else:
            assert said.code == 0
    assert [key for key in drivers._settings(repo.place) if "chalkgit" in key] == [key]


def test_a_text_that_somebody_edited_is_left_and_told(repo: Repo, chalk: Inside) -> None:
    chalk("hooks", "install")
    text = setting(repo, drivers.DRIVER) + " # mine"
    repo.git("config", drivers.DRIVER, text)
    assert "was edited since chalkgit wrote it" in chalk("hooks", "status").out
    for command in ("install", "uninstall"):
        said = chalk("hooks", command)
        assert (said.code, "was edited since chalkgit wrote it" in said.err) == (2, True)
        assert setting(repo, drivers.DRIVER) == text


def test_other_settings_of_the_section_stay(repo: Repo, chalk: Inside) -> None:
    repo.git("config", "merge.chalkgit.recursive", "text")
    chalk("hooks", "install")
    assert chalk("hooks", "uninstall").code == 0
    assert list(drivers._settings(repo.place)) == ["merge.chalkgit.recursive"]


def test_status_and_doctor_say_what_is_missing_and_the_command_that_helps(
    repo: Repo, chalk: Inside, way: str
) -> None:
    for command in ("doctor", "hooks status"):
        page = chalk(*command.split()).out
        assert page.count(MISSING) == 1
        assert "installed (hint: chalkgit hooks install)" in page
    assert chalk.json("hooks", "status")["merge_driver"] == {
        "runs": False,
        "by": None,
        "attribute": "chalkgit",
    }
    chalk("hooks", "install")
    for command in ("doctor", "hooks status"):
        page = chalk(*command.split()).out
        assert MISSING not in page
        assert "records are merged by chalkgit" in page
    found = chalk.json("hooks", "status")["merge_driver"]
    assert found == {"runs": True, "by": "chalkgit", "attribute": "chalkgit"}
    repo.git("config", drivers.DRIVER, shim.driver_text(shim.Interpreter("/gone/100%/python")))
    assert "its interpreter /gone/100%/python is gone (hint: chalkgit hooks install)" in chalk("doctor").out
    repo.git("config", drivers.DRIVER, "mine %O %A %B")
    assert "records are merged by a command of yours" in chalk("hooks", "status").out


def test_attributes_that_do_not_ask_for_it_or_want_a_union_are_told(repo: Repo, chalk: Inside) -> None:
    chalk("hooks", "install")
    repo.write(ATTRIBUTES, drivers.OLDER_ATTRIBUTES[0])
    assert "does not ask for it (hint: chalkgit init)" in chalk("doctor").out
    repo.write(ATTRIBUTES, "*.yaml text\n")
    assert "does not ask for it (hint: add the line: *.yaml text eol=lf merge=chalkgit" in chalk("doctor").out
    repo.write(ATTRIBUTES, "*.yaml merge=union\n")
    assert "merge=union keeps both edits of a record" in chalk("doctor").out
    repo.write(ATTRIBUTES, drivers.ATTRIBUTES)
    assert "ask for it" not in chalk("doctor").out


def test_init_renews_attributes_that_nobody_edited(repo: Repo, chalk: Inside) -> None:
    file = repo.root / ATTRIBUTES
    assert file.read_text() == drivers.ATTRIBUTES
    for older in drivers.OLDER_ATTRIBUTES:
        file.write_text(older + "# mine\n")
        assert "gitattributes" not in chalk("init").out
        assert file.read_text() == older + "# mine\n"
        file.write_text(older)
        assert f"wrote {ATTRIBUTES}" in chalk("init").out
        assert file.read_text() == drivers.ATTRIBUTES
        assert "gitattributes" not in chalk("init").out
    file.unlink()
    file.symlink_to("elsewhere")
    chalk("init")
    assert os.readlink(file) == "elsewhere"


def test_attributes_of_a_clone_alone_run_nothing(repo: Repo, chalk: Inside, tmp_path: Path) -> None:
    record = repo.record(tags=["x"])
    repo.commit()
    clone = Repo(tmp_path / "clone")
    repo.git("clone", "-q", str(repo.root), str(clone.root))
    assert "merge=chalkgit" in (clone.root / ATTRIBUTES).read_text()
    for branch, tag in (("topic", "t"), ("main", "o")):
        clone.git("checkout", "-q", *(["-b"] if branch == "topic" else []), branch)
        file = clone.root / record.path
        file.write_text(file.read_text().replace("- x", f"- {tag}"))
        clone.commit()
    assert git(clone, "merge", "-q", "topic").code == 1
    assert "<<<<<<< HEAD" in file.read_text()


@pytest.mark.parametrize("folded", [False, True])
def test_a_hunk_is_headed_by_the_route_and_where_that_is_folded_by_the_id(
    repo: Repo, chalk: Inside, folded: bool
) -> None:
    route = "cache the manifest" + " again and again" * 8 * folded
    record = repo.record(
        route=route, observation="stale", layer="design", alternative="none", evidence=list("abc"), tags=["x"]
    )
    repo.commit()
    chalk("hooks", "install")
    file = repo.root / record.path
    file.write_text(file.read_text().replace("- x", "- y"))
    (head,) = [line for line in repo.git("diff").splitlines() if line.startswith("@@")]
    assert head.endswith(f"@@ id: {record.id}" if folded else f"@@ route: {route}")


def test_the_example_of_the_document_is_what_comes_out(repo: Repo, chalk: Inside) -> None:
    chalk("hooks", "install")
    path = ".lessons/dead-ends/cache-it.bsqv3m9z.yaml"
    base = (
        "id: bsqv3m9z\nkind: dead-end\nroute: cache the parsed manifest\nobservation: stale\n"
        "files:\n  - src/manifest.py\n"
    )
    repo.write(path, base)
    repo.commit()
    repo.git("checkout", "-q", "-b", "topic")
    theirs = "the tests went stale\ndegree: partial"
    repo.write(path, base.replace("stale", theirs) + "  - src/bob.py\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    ours = repo.write(path, base.replace("stale", "two workers shared it") + "  - src/ada.py\n")
    repo.commit()
    said = git(repo, "merge", "-q", "topic").err
    document = (PUBLISHED.parents[2] / "docs" / "merging.md").read_text()
    assert "".join(f"    {line}\n" for line in ours.read_text().splitlines()) in document
    assert said.startswith(f"chalkgit: {path}: both sides changed observation (hint: ")
    assert f"    chalkgit: {path}: both sides changed observation (hint: " in document


def test_the_published_settings_are_what_the_package_writes(repo: Repo) -> None:
    if not PUBLISHED.exists():
        pytest.skip("an installed package has no published copies")
    wanted = {
        drivers.DRIVER: shim.driver_text(shim.Interpreter(shim.PLACEHOLDER)),
        drivers.NAME: drivers.NAMES[0],
        drivers.HEADING: drivers.HEADINGS[0],
    }
    for key, value in wanted.items():
        assert repo.git("config", "-f", str(PUBLISHED), key) == value, f"write it anew: {PUBLISHED.name}"
