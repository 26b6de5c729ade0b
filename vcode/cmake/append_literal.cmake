# Appends the text in variable `from_variable` to variable `to_variable` as adjacent C++ literals: compilers limit the
# length of one literal. Neither variable may have the name of a variable of this function.
function(append_literal to_variable from_variable)
  set(literals "${${to_variable}}")
  string(LENGTH "${${from_variable}}" length)
  set(start 0)
  while(start LESS length)
    string(SUBSTRING "${${from_variable}}" ${start} 8000 piece)
    string(APPEND literals "R\"__text__(${piece})__text__\"\n")
    math(EXPR start "${start} + 8000")
  endwhile()
  set(${to_variable} "${literals}" PARENT_SCOPE)
endfunction()
