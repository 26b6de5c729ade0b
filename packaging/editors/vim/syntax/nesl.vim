" Highlighting of NESL programs.
if exists('b:current_syntax')
  finish
endif

syntax case ignore
syntax iskeyword @,48-57,_,~,128-255

syntax region neslComment start=/%/ end=/%/ contains=neslTodo,@Spell
syntax keyword neslTodo TODO FIXME XXX contained
syntax region neslString start=/"/ skip=/\\\_./ end=/"/ contains=neslEscape,@Spell
syntax match neslEscape /\\[ntr0\\"]/ contained
syntax match neslChar /`\_./
syntax match neslInt /\<\d\+[kmg]\?\>/
syntax match neslFloat /\<\d\+\.\d*\%(e[-+]\?\d\+\)\?\|\.\d\+\%(e[-+]\?\d\+\)\?\|\<\d\+e[-+]\?\d\+/
syntax match neslOperator /[-+*\/\\^<>=#@!?&'|:]/
syntax match neslTrial /\<\%(test\|bench\)\ze\s*"/
syntax match neslControl /"\@1<=\s*\zsfor\>/
syntax match neslClass /\%(\<in\s\+\)\@<=\%(any\|scalar\|ordinal\|number\|logical\)\>\ze\s*[;)]/
syntax match neslField /\.\s*\zs\h\k*/
syntax match neslDefined /\%(\<function\s\+\)\@<=\k\+/
syntax match neslDatatype /\%(\<datatype\s\+\)\@<=\k\+/

" Words: written by packaging/editors/write_modes.py
syntax keyword neslDeclaration function datatype closure pair defconfig
syntax keyword neslControl if then else let in time
syntax keyword neslOperatorWord and or nand nor xor
syntax keyword neslConstant t f
syntax keyword neslType int float bool char
syntax keyword neslFunction abrev_string abrev_string_noparen abrev_string_paren abs acos all and_scan any append
syntax keyword neslFunction append_string_to_file argmax argmin args argsort asin atan atan2 bool_string bottop btoi
syntax keyword neslFunction buckets ceil char_code char_map char_rank char_string cheap_hash_vector clock close_check
syntax keyword neslFunction close_file code_char collect collect_pairs cond_put cons contains cos cosh count
syntax keyword neslFunction create_table date diff digitp dist dot drop elt elt_nocheck enumerate eput eql error
syntax keyword neslFunction even_elts evenp exp exp_string expt false fast_create_table filter find first flag_merge
syntax keyword neslFunction flag_partition flatten float_num float_string float_to_any floor fold format fpermute_hack
syntax keyword neslFunction fseq gcd get get_environment_variable get_nocheck grep group_by group_by_separator_flags
syntax keyword neslFunction group_by_separator_flags_x group_by_space hash hash_float hash_scalar hash_table_factor
syntax keyword neslFunction hash_vector hashinternal hashtable head_rest histogram hypot identity index inf insert_table
syntax keyword neslFunction int_collect int_collect_pairs int_histogram int_string int_to_any interleave intersection
syntax keyword neslFunction iseq iseq1 iseqm1 isqrt join justify_text kth_smallest length length_from_flags linify ln
syntax keyword neslFunction log lower_bound lowercase lshift make_sequence make_table map mark_duplicates max max_index
syntax keyword neslFunction max_int max_scan max_val mean median min min_index min_int min_scan min_val minusp mod
syntax keyword neslFunction mult_scan name nan negate newline next next_char normal not nullstr odd_elts oddp one
syntax keyword neslFunction open_append_file open_check open_file open_in_file open_out_file or_scan pack pack_index
syntax keyword neslFunction pack_scalar parity parse_float parse_int parse_int_vect parse_unsigned_int partition permute
syntax keyword neslFunction permute_nocheck pi picture plot plot_histogram plus_scan plusp power prefix_sums previous
syntax keyword neslFunction prim_parse_float print print_char print_debug print_line print_string print_trace printl
syntax keyword neslFunction product prompt put put_with rand rand_seed rank rank_down read read_binary read_char
syntax keyword neslFunction read_check read_csv read_csv_named read_csv_with read_float_seq read_float_seq_from_file
syntax keyword neslFunction read_int_seq read_int_seq_from_file read_line read_lines read_matrix_market read_npy
syntax keyword neslFunction read_npz read_object read_object_from_file read_string read_string_from_file read_text
syntax keyword neslFunction read_word reciprocal reduce rem rem_internal remove_duplicates rep rest rest_tail reverse
syntax keyword neslFunction rotate round rshift runs scan scatter search_for_subseqs search_table select seq_dist
syntax keyword neslFunction set_difference shell_check shell_command shuffle sin sinh snoc sort sort_by space spawn
syntax keyword neslFunction split split_index sqrt start_timer stderr stdin stdout stdout_internal stop_timer stream
syntax keyword neslFunction string string_eql string_noparen subseq sum sum_tuples summed_area_table tab table_entries
syntax keyword neslFunction take tan tanh trace_string_depth trace_string_length transpose tree_roots true trunc union
syntax keyword neslFunction unique unpack unzip upper_bound uppercase vector_string vpair vsep windows wordify write
syntax keyword neslFunction write_binary write_char write_check write_csv write_csv_named write_image
syntax keyword neslFunction write_matrix_market write_npy write_npz write_npz_compressed write_object
syntax keyword neslFunction write_object_to_file write_string write_string_to_file write_with xor_scan zero zerop zip
syntax keyword neslFunction zip3
" End of words

" Comments begin and end with the same sign, so that only the whole text says which is which.
syntax sync fromstart

highlight default link neslComment Comment
highlight default link neslTodo Todo
highlight default link neslString String
highlight default link neslEscape SpecialChar
highlight default link neslChar Character
highlight default link neslFloat Float
highlight default link neslInt Number
highlight default link neslOperator Operator
highlight default link neslOperatorWord Operator
highlight default link neslTrial Statement
highlight default link neslDeclaration Statement
highlight default link neslControl Conditional
highlight default link neslConstant Boolean
highlight default link neslType Type
highlight default link neslClass Type
highlight default link neslField Identifier
highlight default link neslDefined Function
highlight default link neslDatatype Structure
highlight default link neslFunction Function

let b:current_syntax = 'nesl'
