" Indentation of NESL programs: as nesl fmt lays them out.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1

setlocal indentexpr=NeslIndent(v:lnum) indentkeys=0),0],0},!^F,o,O,0=~in,0=~then,0=~else
setlocal nosmartindent nocindent
let b:undo_indent = 'setlocal indentexpr< indentkeys< smartindent< cindent<'

if exists('*NeslIndent')
  finish
endif

" Tokens: comments, strings, characters, the words and signs that open and close constructs, other names and signs.
let s:token = '\c%\_[^%]*%\?\|"\%(\\\_.\|[^"\\]\)*"\?\|`\_.\|\<\%(let\|in\|if\|then\|else\)\>\|[][(){};$]\|\k\+\|[^[:blank:]\n]'

function! s:PopTo(stack, kinds) abort
  while len(a:stack) > 1 && index(a:kinds, a:stack[-1].kind) < 0
    call remove(a:stack, -1)
  endwhile
endfunction

" The indentation of a line, from the constructs that are open in front of it. Each has the column where its counterpart
" stands, and that where its parts begin.
function! NeslIndent(lnum) abort
  let first = a:lnum - 1
  while first > 1 && getline(first) !~? '^\%(function\|datatype\|test\|bench\)\>'
    let first -= 1
  endwhile
  let lines = getline(max([first, 1]), a:lnum - 1)
  let text = join(lines, "\n") . "\n"
  let statement = {'kind': 'statement', 'column': 0, 'start': 0}
  let stack = [copy(statement)]
  let previous = ''
  let at = 0
  while 1
    let [token, begin, at] = matchstrpos(text, s:token, at)
    if begin < 0
      break
    endif
    if token[0] ==# '%'
      if token !~# '^%\_[^%]*%$'
        return -1  " inside a comment
      endif
      continue
    endif
    let newline = strridx(text, "\n", begin)
    let column = begin - newline - 1
    let margin = len(matchstr(text, '^ *', newline + 1))
    let ends_line = text[at :] =~# '^[[:blank:]]*\%(%[^%]*%[[:blank:]]*\)\?\n'
    let word = tolower(token)
    if stack[-1].kind ==# 'statement' && stack[-1].start == 0
      let stack[-1].start = 2
    endif
    if word =~# '^[[({]$'
      call add(stack, {'kind': word, 'column': ends_line ? margin : column, 'start': ends_line ? margin + 2 : column + 1})
    elseif word =~# '^[])}]$'
      call s:PopTo(stack, [{')': '(', ']': '[', '}': '{'}[word]])
      if len(stack) > 1
        call remove(stack, -1)
      endif
    elseif word ==# 'let'
      call add(stack, {'kind': 'let', 'column': column, 'start': ends_line ? column + 2 : column + 4})
    elseif word ==# 'if'
      let column = previous ==# 'else' ? stack[-1].column : column
      call add(stack, {'kind': 'if', 'column': column, 'start': column + 2})
    elseif word ==# 'else'
      call s:PopTo(stack, ['if', '(', '[', '{'])
      let stack[-1].kind = stack[-1].kind ==# 'if' ? 'else' : stack[-1].kind
    elseif word ==# 'in'
      if index(['let', 'if', 'else', 'body'], stack[-1].kind) >= 0
        call s:PopTo(stack, ['let', '(', '[', '{'])
        if stack[-1].kind ==# 'let'
          let stack[-1] = {'kind': 'body', 'column': column, 'start': ends_line ? column + 2 : column + 3}
        endif
      endif
    elseif word ==# ';' || word ==# '$'
      call s:PopTo(stack, word ==# '$' ? ['statement'] : ['let', '{'])
      if len(stack) == 1
        let stack[0] = copy(statement)
      endif
    endif
    let previous = word
  endwhile
  let next = tolower(matchstr(getline(a:lnum), '\S.*'))
  if next =~# '^[])}]'
    call s:PopTo(stack, [{')': '(', ']': '[', '}': '{'}[next[0]]])
    return stack[-1].column
  elseif next =~# '^in\>'
    call s:PopTo(stack, ['let'])
    return stack[-1].column
  elseif next =~# '^\%(then\|else\)\>'
    call s:PopTo(stack, ['if'])
    return stack[-1].column
  endif
  let continues = stack[-1].kind ==# 'let' && previous !~# '^\%(let\|;\)$'
  return stack[-1].start + (continues ? 2 : 0)
endfunction
