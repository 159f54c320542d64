"""Put the newest git of Debian unstable under a folder, beside the system's own; prints the program's path.

    python3 tests/newgit.py FOLDER
    export CHALKGIT_TEST_GIT=FOLDER/bin/git

Config hooks came with git 2.54, and stable systems have an older one. Debian's packages are fetched by apt
with lists of its own, so that signatures are checked and nothing of the system changes, and unpacked, not
installed. They want a newer C library than the system's: each program is a two-line script that starts it
through the unpacked dynamic loader, and git finds its siblings through GIT_EXEC_PATH. Takes a few seconds
and about 30 MB of network; needs apt and dpkg, no compiler.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = ("git", "libc6", "libpcre2-8-0", "zlib1g")
MIRROR = "http://deb.debian.org/debian"
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: newgit.py FOLDER", file=sys.stderr)
        return 2
    folder = Path(arguments[0]).resolve()
    program = folder / "bin" / "git"
    try:
        if not program.exists():
            packages = _download(folder / "apt")
            _unpack(packages, folder / "root")
            _wrap(folder)
            shutil.rmtree(folder / "apt")
        version = subprocess.run([program, "version"], check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or error
        print(f"newgit: no newer git here: {said}", file=sys.stderr)
        return 1
    print(version.strip(), file=sys.stderr)
    print(program)
    return 0


def _download(apt: Path) -> list[Path]:
    """The packages' files, by an apt that knows unstable alone and nothing of this system."""
    for name in ("lists/partial", "cache/archives/partial", "packages"):
        (apt / name).mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    (apt / "sources.list").write_text(f"deb [signed-by={KEYS}] {MIRROR} sid main\n")
    settings = {
        "Dir::Etc::SourceList": apt / "sources.list",
        "Dir::Etc::SourceParts": "-",
        "Dir::State::Lists": apt / "lists",
        "Dir::State::Status": apt / "status",
        "Dir::Cache": apt / "cache",
        "Acquire::Languages": "none",
        "Acquire::Retries": 3,
        "APT::Sandbox::User": "root",
    }
    lines = [f"{name} {_quoted(value)};\n" for name, value in settings.items()]
    (apt / "apt.conf").write_text("".join(lines))
    environment = {**os.environ, "APT_CONFIG": str(apt / "apt.conf"), "LC_ALL": "C"}
    for command in (["update", "-qq"], ["download", "-qq", *PACKAGES]):
        subprocess.run(
            ["apt-get", *command],
            cwd=apt / "packages",
            env=environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=300,
        )
    return sorted((apt / "packages").glob("*.deb"))


def _quoted(value: object) -> str:
    return f'"{value}"'


def _unpack(packages: list[Path], root: Path) -> None:
    for package in packages:
        subprocess.run(["dpkg", "-x", package, root], check=True, capture_output=True, text=True)


def _wrap(folder: Path) -> None:
    """Scripts in bin/ and exec/ that start the unpacked programs with the unpacked libraries."""
    root = folder / "root"
    loader = next(path for path in sorted(root.rglob("ld-linux*.so.*")) if path.is_file())
    libraries = ":".join(sorted({str(path.parent) for path in root.rglob("lib*.so.*") if path.is_file()}))
    start = shlex.join([str(loader), "--library-path", libraries, "--argv0"])
    programs = folder / "exec"
    programs.mkdir(exist_ok=True)
    found = [*sorted((root / "usr/lib/git-core").iterdir()), root / "usr/bin/git"]
    for file in found:
        wrapper = programs / file.name
        if not wrapper.exists():
            _wrapper(wrapper, file, start, programs)
    (folder / "bin").mkdir(exist_ok=True)
    (folder / "bin" / "git").symlink_to(programs / "git")


def _wrapper(wrapper: Path, file: Path, start: str, programs: Path) -> None:
    if file.is_dir() or not file.resolve().read_bytes().startswith(b"\x7fELF"):
        wrapper.symlink_to(file)
        return
    wrapper.write_text(
        f"#!/bin/sh\n"
        f"export GIT_EXEC_PATH={shlex.quote(str(programs))}\n"
        f'exec {start} {file.name} {shlex.quote(str(file))} "$@"\n'
    )
    wrapper.chmod(0o755)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
