-- chalkgit's language server in every buffer of a repository that has a .lessons/ folder.
-- Neovim 0.7 and later; the server needs pygls: `chalkgit lsp` says how to install it

if vim.fn.executable('chalkgit') == 0 then
  return
end

local cmd = { 'chalkgit', 'lsp' }

-- The nearest folder upwards that has a .lessons/ folder, nil where none has.
local function root_of(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if name == '' or name:match('^%a+://') or vim.bo[buffer].buftype ~= '' then
    return nil
  end
  -- escaped: commas and spaces mean something to 'path'
  local start = vim.fn.escape(vim.fn.fnamemodify(name, ':p:h'), ' ,;\\')
  local found = vim.fn.finddir('.lessons', start .. ';')
  return found ~= '' and vim.fn.fnamemodify(vim.fn.fnamemodify(found, ':p'), ':h:h') or nil
end

if vim.lsp.config and vim.lsp.enable then -- 0.11
  vim.lsp.config('chalkgit', {
    cmd = cmd,
    root_dir = function(buffer, on_dir)
      local root = root_of(buffer)
      if root then
        on_dir(root)
      end
    end,
  })
  vim.lsp.enable('chalkgit')
  return
end

local clients = {} -- 0.7 to 0.10: one for each repository

local function attach(buffer)
  local root = root_of(buffer)
  if not root then
    return
  end
  if not clients[root] or vim.lsp.client_is_stopped(clients[root]) then
    clients[root] = vim.lsp.start_client({ name = 'chalkgit', cmd = cmd, root_dir = root })
  end
  if clients[root] then
    vim.lsp.buf_attach_client(buffer, clients[root])
  end
end

vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost' }, {
  group = vim.api.nvim_create_augroup('chalkgit', { clear = true }),
  callback = function(event)
    attach(event.buf)
  end,
})
