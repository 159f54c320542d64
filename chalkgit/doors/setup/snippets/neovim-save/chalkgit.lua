-- What chalkgit knows about a file, as diagnostics once it was saved. Neovim 0.7 and later, no language server.
-- A ruling is told once in this Neovim; its diagnostic stays until the buffer is gone.

local namespace = vim.api.nvim_create_namespace('chalkgit')
local session = 'nvim-' .. vim.fn.getpid()
local severities = { note = vim.diagnostic.severity.INFO, error = vim.diagnostic.severity.ERROR }
local told = {} -- buffer number to the rulings that it was told, by their ids

-- One line of `chalkgit hook save`, which begins with the path as it was given.
local function parsed(line, file)
  if line:sub(1, #file + 1) ~= file .. ':' then
    return nil
  end
  local row, column, kind, text = line:sub(#file + 2):match('^(%d+):(%d+): (%a+): (.*)$')
  if not row then
    return nil
  end
  return {
    lnum = tonumber(row) - 1,
    col = tonumber(column) - 1,
    severity = severities[kind],
    message = text,
    source = 'chalkgit',
  }
end

local function show(buffer, file, lines)
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  told[buffer] = told[buffer] or {}
  local all = {}
  for _, line in ipairs(lines) do
    local found = parsed(line, file)
    local id = found and found.message:match('%[(%w+)%]$')
    if found and found.severity == vim.diagnostic.severity.ERROR then
      table.insert(all, found) -- a mistake in a record: said with every save until it is mended
    elseif id then
      told[buffer][id] = found
    end
  end
  for _, found in pairs(told[buffer]) do
    table.insert(all, found)
  end
  vim.diagnostic.set(namespace, buffer, all)
end

local function saved(buffer, file)
  if vim.fn.executable('chalkgit') == 0 then
    return
  end
  vim.fn.jobstart({ 'chalkgit', 'hook', 'save', '--session', session, file }, {
    stdout_buffered = true,
    stderr_buffered = true,
    on_stdout = function(_, lines)
      show(buffer, file, lines)
    end,
    on_stderr = function(_, lines)
      if lines[1] and lines[1] ~= '' then
        vim.notify(lines[1], vim.log.levels.WARN)
      end
    end,
  })
end

local group = vim.api.nvim_create_augroup('chalkgit', { clear = true })
vim.api.nvim_create_autocmd('BufWritePost', {
  group = group,
  callback = function(event)
    local file = vim.api.nvim_buf_get_name(event.buf)
    if vim.bo[event.buf].buftype == '' and not file:match('^%a+://') then
      saved(event.buf, file)
    end
  end,
})
vim.api.nvim_create_autocmd('BufWipeout', {
  group = group,
  callback = function(event)
    told[event.buf] = nil
  end,
})
