"""The language server in a real Neovim, headless, on real files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from repository import Repo

NVIM = shutil.which("nvim")

pytestmark = pytest.mark.skipif(NVIM is None, reason="nvim is not installed")

# vim.lsp.start_client is there from Neovim 0.5 on; newer ones have vim.lsp.config beside it.
_SCRIPT = """
local python, root, file, record, out = unpack(vim.json.decode(ARGUMENTS))
local said = {}
local seen = vim.lsp.handlers["window/showMessage"]
vim.lsp.handlers["window/showMessage"] = function(_, result) table.insert(said, result.message) end
local client = vim.lsp.start_client({
  name = "chalkgit", cmd = {python, "-I", "-m", "chalkgit", "lsp"}, root_dir = root,
})
local function attached(path)
  vim.cmd("edit " .. vim.fn.fnameescape(path))
  local buffer = vim.api.nvim_get_current_buf()
  vim.lsp.buf_attach_client(buffer, client)
  return buffer
end
local function diagnostics(buffer, count)
  assert(vim.wait(20000, function() return #vim.diagnostic.get(buffer) == count end, 10), "no diagnostics")
  return vim.diagnostic.get(buffer)
end
local function ask(buffer, method, params)
  local answers, problem = vim.lsp.buf_request_sync(buffer, method, params, 20000)
  assert(answers, problem)
  return answers[client].result
end
local found = {}
local ok, problem = pcall(function()
  local buffer = attached(file)
  found.ruling = diagnostics(buffer, 1)[1]
  vim.api.nvim_win_set_cursor(0, {1, 0})
  found.hover = ask(buffer, "textDocument/hover", vim.lsp.util.make_position_params())
  local params = vim.lsp.util.make_range_params()
  params.context = {diagnostics = {}}
  found.actions = ask(buffer, "textDocument/codeAction", params)
  for _, action in ipairs(found.actions) do
    if action.title == "Record a dead end here" then found.made = ask(buffer, "workspace/executeCommand", {
      command = action.command.command, arguments = action.command.arguments}) end
  end
  local made = vim.uri_to_fname(found.made)
  -- one that can show a document does so, any other is told its name
  vim.wait(20000, function() return #said > 0 or vim.api.nvim_buf_get_name(0) == made end, 10)
  found.opened = vim.api.nvim_buf_get_name(0) == made
  local new = attached(made)
  found.unfilled = diagnostics(new, 1)[1]
  local at = vim.fn.search("^route:$")
  vim.fn.setline(at, "route: inline it")
  vim.fn.setline(vim.fn.search("^observation:$"), "observation: slower")
  diagnostics(new, 0)
  vim.cmd("write")
  vim.cmd("buffer " .. buffer)
  found.both = #diagnostics(buffer, 2)
  found.buffer = #diagnostics(attached(record), 1)
end)
found.said, found.problem = said, not ok and problem or nil
for _, diagnostic in ipairs({found.ruling, found.unfilled}) do diagnostic.user_data = nil end
vim.fn.writefile({vim.json.encode(found)}, out)
vim.lsp.stop_client(client)
vim.wait(5000, function() return vim.lsp.client_is_stopped(client) end, 10)
vim.cmd("qall!")
"""


def test_neovim_shows_rulings_hover_and_actions_and_a_new_record_once_it_is_written(
    repo: Repo, tmp_path: Path
) -> None:
    record = repo.record(route="cache it", observation="stale", files=["src/a.py"])
    file = repo.write("src/a.py", "x = '😀'\n")
    bad = repo.write(".lessons/bad.yaml", "kind: idea\nid: k7q2m9xd\n")
    found = _neovim(tmp_path, repo.root, file, bad)
    assert found.get("problem") is None
    assert found["ruling"]["message"].startswith("Tried before, and failed: cache it")
    assert found["ruling"]["severity"] == 3
    assert (found["ruling"]["lnum"], found["ruling"]["col"]) == (0, 0)
    assert found["ruling"]["end_col"] == len("x = '😀'".encode())
    assert f"[dead end {record.id}]" in found["hover"]["contents"]["value"]
    assert [action["title"].split(" ")[0] for action in found["actions"]] == ["Open", "Record"]
    assert found["unfilled"]["severity"] == 1
    assert found["opened"] or found["said"][0].startswith("open ")
    assert found["both"] == 2
    assert found["buffer"] == 1
    assert repo.run("at", "src/a.py", "--json").out.count('"inline it"') == 1


def _neovim(tmp_path: Path, *paths: Path) -> Any:
    script, out = tmp_path / "script.lua", tmp_path / "found.json"
    arguments = json.dumps([sys.executable, *map(str, paths), str(out)])
    script.write_text(_SCRIPT.replace("ARGUMENTS", json.dumps(arguments)))
    assert NVIM is not None
    done = subprocess.run(
        [NVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {script}"],
        cwd=paths[0],
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
        stdin=subprocess.DEVNULL,
    )
    assert out.exists(), done.stdout + done.stderr
    return json.loads(out.read_text())
