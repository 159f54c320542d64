"""The snippets in the editors themselves: real saves in a real repository, and what the editor has then."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from editing import SNIPPETS, path_fixture, run, two_rulings  # noqa: F401
from repository import Repo

from chalkgit.doors.setup import editors


def needs(program: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not shutil.which(program), reason=f"{program} is not installed")


VIM = """
set hidden
edit my\\ src/a.py
laddexpr 'somebody.py:7:of another list'
call setline(1, '2')
write
let g:waited = 0
while get(getloclist(0, {'title': 1}), 'title', '') !=# 'chalkgit' && g:waited < 200
  sleep 50m
  let g:waited += 1
endwhile
let g:found = map(getloclist(0), {_, e -> [bufname(e.bufnr), e.lnum, e.col, e.type, e.text]})
let g:where = [bufname('%'), winnr('$')]
call setline(1, '3')
write
sleep 700m
let g:again = len(getloclist(0))
edit .lessons/bad.yaml
write
let g:waited = 0
while len(getloclist(0)) == g:again && g:waited < 200
  sleep 50m
  let g:waited += 1
endwhile
let g:bad = getloclist(0)[-1]
lolder
let g:older = getloclist(0)[0].text
call writefile([json_encode([g:found, g:where, g:again, g:bad.type, g:older])], 'found.json')
qall!
"""


@needs("vim")
@pytest.mark.usefixtures("path")
def test_vim_fills_the_location_list_once_and_disturbs_nothing(repo: Repo) -> None:
    lines = two_rulings(repo)
    repo.write(".lessons/bad.yaml", "kind: dead-end\nroute: [\n")
    repo.write("test.vim", VIM)
    snippet = str(SNIPPETS / "vim/chalkgit.vim")
    run(repo, "vim", "-Nu", "NONE", "-i", "NONE", "-es", "-S", snippet, "-S", "test.vim")
    found, where, again, kind, older = json.loads((repo.root / "found.json").read_text())
    assert sorted(found) == sorted(["my src/a.py", 1, 1, "n", text] for text in lines)
    assert where == ["my src/a.py", 1]
    assert (again, kind, older) == (2, "e", "of another list")


@needs("vim")
@pytest.mark.usefixtures("path")
def test_vim_without_jobs_and_with_a_hostile_name_runs_no_shell_of_it(repo: Repo) -> None:
    record = repo.record(files=["src/"])
    name = "src/$(touch pwned) 'x' `touch pwned`.py"
    snippet = (SNIPPETS / "vim/chalkgit.vim").read_text().replace("has('job')", "0")
    repo.write("plain.vim", snippet)
    repo.write(name, "1\n")
    repo.write(
        "test.vim",
        "exe 'edit' fnameescape(readfile('name')[0])\nwrite\n"
        "call writefile(map(getloclist(0), {_, e -> e.text}), 'found')\nqall!\n",
    )
    repo.write("name", name)
    run(repo, "vim", "-Nu", "NONE", "-i", "NONE", "-es", "-S", "plain.vim", "-S", "test.vim")
    assert record.id in (repo.root / "found").read_text()
    assert not (repo.root / "pwned").exists()


NVIM = """
vim.cmd('source ' .. vim.env.SNIPPET)
local function shown(buffer)
  return vim.tbl_map(function(d)
    return { d.lnum, d.col, d.severity, d.message, d.source }
  end, vim.diagnostic.get(buffer))
end
local function save(file, count)
  vim.cmd('edit ' .. vim.fn.fnameescape(file))
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { '# x' })
  vim.cmd('write')
  vim.wait(10000, function() return #vim.diagnostic.get(0) == count end, 20)
  return shown(0)
end
local first = save('my src/a.py', 2)
vim.cmd('write')
vim.wait(700)
local again = shown(0)
local bad = save('.lessons/bad.yaml', 1)
vim.fn.writefile({ vim.fn.json_encode({ first, again, bad }) }, 'found.json')
vim.cmd('qall!')
"""


@needs("nvim")
@pytest.mark.usefixtures("path")
def test_neovim_without_a_server_shows_diagnostics_that_stay(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = two_rulings(repo)
    repo.write(".lessons/bad.yaml", "kind: dead-end\nroute: [\n")
    repo.write("test.lua", NVIM)
    monkeypatch.setenv("SNIPPET", str(SNIPPETS / "neovim-save/chalkgit.lua"))
    run(repo, "nvim", "--headless", "-u", "NONE", "-i", "NONE", "-c", "luafile test.lua")
    first, again, bad = json.loads((repo.root / "found.json").read_text())
    assert sorted(first) == sorted(again) == sorted([0, 0, 3, text, "chalkgit"] for text in lines)
    assert [(severity, source) for _, _, severity, _, source in bad] == [(1, "chalkgit")]


NVIM_LSP = """
vim.cmd('filetype on') -- as it is without `-u NONE`; 0.11 starts servers by it
vim.cmd('source ' .. vim.env.SNIPPET)
vim.cmd('edit my\\\\ src/a.py')
vim.wait(15000, function() return #vim.diagnostic.get(0) == 2 end, 20)
local found = vim.tbl_map(function(d) return d.message end, vim.diagnostic.get(0))
vim.cmd('edit ' .. vim.env.HOME .. '/outside.py')
local clients = #(vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = 0 }) or vim.lsp.buf_get_clients(0))
vim.fn.writefile({ vim.fn.json_encode({ found, clients }) }, 'found.json')
vim.cmd('qall!')
"""


@needs("nvim")
@pytest.mark.usefixtures("path")
def test_neovim_starts_the_language_server_where_there_are_lessons(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, sealed: Path
) -> None:
    pytest.importorskip("pygls", reason="the extra lsp is not installed")
    lines = two_rulings(repo)
    repo.write("test.lua", NVIM_LSP)
    (sealed / "outside.py").write_text("1\n")
    monkeypatch.setenv("SNIPPET", str(SNIPPETS / "neovim/chalkgit.lua"))
    run(repo, "nvim", "--headless", "-u", "NONE", "-i", "NONE", "-c", "luafile test.lua")
    found, clients = json.loads((repo.root / "found.json").read_text())
    assert clients == 0
    assert len(found) == 2
    # the server has the id beside the message
    assert all(line.startswith(message) for message, line in zip(sorted(found), sorted(lines), strict=True))


EMACS = """
(defun wait-until (done)
  (let ((left 400))
    (while (and (not (funcall done)) (> (setq left (1- left)) 0)) (accept-process-output nil 0.05))))
(defun said () (if (get-buffer "*chalkgit*") (with-current-buffer "*chalkgit*" (buffer-string)) ""))
(find-file "my src/a.py")
(insert "2") (save-buffer)
(wait-until (lambda () (string-match-p "queue it" (said))))
(let ((first (said)))
  (insert "3") (save-buffer)
  (wait-until (lambda () (not (get-process "chalkgit"))))
  (accept-process-output nil 0.2)
  (unless (equal first (said)) (error "told twice")))
(princ (said))
(kill-buffer "a.py")
(with-current-buffer "*chalkgit*"
  (goto-char (point-min))
  (compilation--ensure-parse (point-max))
  (save-window-excursion (compile-goto-error)))
(unless (get-buffer "a.py") (error "it leads nowhere"))
(princ (format "left: %d\\n" (length (seq-filter (lambda (b) (string-prefix-p " *chalkgit" (buffer-name b)))
                                                (buffer-list)))))
"""


@needs("emacs")
@pytest.mark.usefixtures("path")
def test_emacs_keeps_the_lines_in_a_buffer_that_leads_to_the_file(repo: Repo) -> None:
    lines = two_rulings(repo)
    repo.write("test.el", EMACS)
    repo.write("printed.el", "\n".join(editors.install(repo.place, "emacs")) + "\n")
    said = run(repo, "emacs", "-Q", "--batch", "-l", "./printed.el", "-l", "./test.el")
    for text in lines:
        assert f"{repo.root}/my src/a.py:1:1: note: {text}\n" in said
    assert "\nTried before, and failed: " in "\n" + said  # the echo area
    assert "left: 0\n" in said


@needs("emacs")
def test_the_elisp_compiles_without_a_warning(repo: Repo) -> None:
    shutil.copy(SNIPPETS / "emacs/chalkgit.el", repo.root)
    compile_it = "(setq byte-compile-error-on-warn t)"
    run(repo, "emacs", "-Q", "--batch", "--eval", compile_it, "-f", "batch-byte-compile", "chalkgit.el")


@needs("nvim")
@pytest.mark.usefixtures("path")
def test_neovim_reads_what_was_written_unasked(repo: Repo) -> None:
    editors.install(repo.place, "neovim-save", True)
    said = run(repo, "nvim", "--headless", "-i", "NONE", "-c", "autocmd chalkgit BufWritePost", "-c", "qall!")
    assert "BufWritePost" in said


@needs("vim")
@pytest.mark.usefixtures("path")
def test_vim_reads_what_was_written_unasked(repo: Repo) -> None:
    editors.install(repo.place, "vim", True)
    repo.write("empty", "")
    line = "call writefile([exists('g:loaded_chalkgit')], 'found')"
    run(repo, "vim", "-Nn", "-T", "dumb", "--not-a-term", "-u", "empty", "-c", line, "-c", "qall!")
    assert (repo.root / "found").read_text() == "1\n"
