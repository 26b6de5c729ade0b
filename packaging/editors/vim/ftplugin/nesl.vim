" Settings of buffers with NESL programs.
if exists('b:did_ftplugin')
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=%\ %s\ % comments=s:%,e:% iskeyword=@,48-57,_,~,128-255
setlocal expandtab shiftwidth=2 softtabstop=2
" gq lays out whole statements; without the command nesl, = and gq indent.
if executable('nesl')
  setlocal formatprg=nesl\ fmt\ -
endif
let b:undo_ftplugin = 'setlocal commentstring< comments< iskeyword< expandtab< shiftwidth< softtabstop< formatprg<'
