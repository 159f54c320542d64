" What chalkgit knows about a file, in the location list once it was saved (:lopen). Vim 8.1 and later.
" A ruling is told once in this Vim. Nothing opens, jumps or waits for a key.

if exists('g:loaded_chalkgit') || has('nvim')
  finish
endif
let g:loaded_chalkgit = 1
let s:save_cpo = &cpo
set cpo&vim

let s:session = 'vim-' . getpid()
let s:format = '%f:%l:%c: %t%*[a-z]: %m'

function! s:saved(file, window) abort
  if &buftype !=# '' || a:file =~# '^\a\+://' || !executable('chalkgit')
    return
  endif
  let l:command = ['chalkgit', 'hook', 'save', '--session', s:session, a:file]
  if !has('job')
    let l:shell = join(map(copy(l:command), 'shellescape(v:val)'))
    call s:show(a:window, split(system(l:shell . ' 2>/dev/null'), "\n"), [])
    return
  endif
  let l:out = []
  let l:err = []
  call job_start(l:command, {
        \ 'in_io': 'null',
        \ 'out_cb': {_, line -> add(l:out, line)},
        \ 'err_cb': {_, line -> add(l:err, line)},
        \ 'close_cb': {_ -> s:show(a:window, l:out, l:err)},
        \ })
endfunction

function! s:show(window, out, err) abort
  if !empty(a:out) && win_id2win(a:window) > 0
    " another list is left as it is: :lolder shows it again
    let l:ours = get(getloclist(a:window, {'title': 1}), 'title', '') ==# 'chalkgit'
    let l:what = {'lines': a:out, 'efm': s:format}
    if !l:ours
      let l:what.title = 'chalkgit'
    endif
    call setloclist(a:window, [], l:ours ? 'a' : ' ', l:what)
  endif
  let l:said = empty(a:out) ? a:err : map(copy(a:out), {_, line -> matchstr(line, ': \a\+: \zs.*')})
  if !empty(l:said) && mode() !=# 'c'
    redraw
    " a longer line would ask for a key
    echo strcharpart(l:said[0], 0, max([&columns - 13, 20]))
  endif
endfunction

augroup chalkgit
  autocmd!
  autocmd BufWritePost * call s:saved(expand('<afile>:p'), win_getid())
augroup END

let &cpo = s:save_cpo
unlet s:save_cpo
