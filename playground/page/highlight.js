// NESL in colours: the words of the language by their kinds, and the spans of a text.
'use strict';

const neslHighlight = (() => {
  const words = {
    // Words: written by packaging/editors/write_modes.py
    declaration: [
      'function', 'datatype', 'closure', 'pair', 'defconfig',
    ],
    control: [
      'if', 'then', 'else', 'let', 'in', 'time',
    ],
    word: [
      'and', 'or', 'nand', 'nor', 'xor',
    ],
    constant: [
      't', 'f',
    ],
    type: [
      'int', 'float', 'bool', 'char',
    ],
    library: [
      'abrev_string', 'abrev_string_noparen', 'abrev_string_paren', 'abs', 'acos', 'all', 'and_scan', 'any', 'append',
      'append_string_to_file', 'argmax', 'argmin', 'args', 'argsort', 'asin', 'atan', 'atan2', 'bool_string', 'bottop',
      'btoi', 'buckets', 'ceil', 'char_code', 'char_map', 'char_rank', 'char_string', 'cheap_hash_vector', 'clock',
      'close_check', 'close_file', 'code_char', 'collect', 'collect_pairs', 'cond_put', 'cons', 'contains', 'cos',
      'cosh', 'count', 'create_table', 'date', 'diff', 'digitp', 'dist', 'dot', 'drop', 'elt', 'elt_nocheck',
      'enumerate', 'eput', 'eql', 'error', 'even_elts', 'evenp', 'exp', 'exp_string', 'expt', 'false',
      'fast_create_table', 'filter', 'find', 'first', 'flag_merge', 'flag_partition', 'flatten', 'float_num',
      'float_string', 'float_to_any', 'floor', 'fold', 'format', 'fpermute_hack', 'fseq', 'gcd', 'get',
      'get_environment_variable', 'get_nocheck', 'grep', 'group_by', 'group_by_separator_flags',
      'group_by_separator_flags_x', 'group_by_space', 'hash', 'hash_float', 'hash_scalar', 'hash_table_factor',
      'hash_vector', 'hashinternal', 'hashtable', 'head_rest', 'histogram', 'hypot', 'identity', 'index', 'inf',
      'insert_table', 'int_collect', 'int_collect_pairs', 'int_histogram', 'int_string', 'int_to_any', 'interleave',
      'intersection', 'iseq', 'iseq1', 'iseqm1', 'isqrt', 'join', 'justify_text', 'kth_smallest', 'length',
      'length_from_flags', 'linify', 'ln', 'log', 'lower_bound', 'lowercase', 'lshift', 'make_sequence', 'make_table',
      'map', 'mark_duplicates', 'max', 'max_index', 'max_int', 'max_scan', 'max_val', 'mean', 'median', 'min',
      'min_index', 'min_int', 'min_scan', 'min_val', 'minusp', 'mod', 'mult_scan', 'name', 'nan', 'negate', 'newline',
      'next', 'next_char', 'normal', 'not', 'nullstr', 'odd_elts', 'oddp', 'one', 'open_append_file', 'open_check',
      'open_file', 'open_in_file', 'open_out_file', 'or_scan', 'pack', 'pack_index', 'pack_scalar', 'parity',
      'parse_float', 'parse_int', 'parse_int_vect', 'parse_unsigned_int', 'partition', 'permute', 'permute_nocheck',
      'pi', 'picture', 'plot', 'plot_histogram', 'plus_scan', 'plusp', 'power', 'prefix_sums', 'previous',
      'prim_parse_float', 'print', 'print_char', 'print_debug', 'print_line', 'print_string', 'print_trace', 'printl',
      'product', 'prompt', 'put', 'put_with', 'rand', 'rand_seed', 'rank', 'rank_down', 'read', 'read_binary',
      'read_char', 'read_check', 'read_csv', 'read_csv_named', 'read_csv_with', 'read_float_seq',
      'read_float_seq_from_file', 'read_int_seq', 'read_int_seq_from_file', 'read_line', 'read_lines',
      'read_matrix_market', 'read_npy', 'read_npz', 'read_object', 'read_object_from_file', 'read_string',
      'read_string_from_file', 'read_text', 'read_word', 'reciprocal', 'reduce', 'rem', 'rem_internal',
      'remove_duplicates', 'rep', 'rest', 'rest_tail', 'reverse', 'rotate', 'round', 'rshift', 'runs', 'scan',
      'scatter', 'search_for_subseqs', 'search_table', 'select', 'seq_dist', 'set_difference', 'shell_check',
      'shell_command', 'shuffle', 'sin', 'sinh', 'snoc', 'sort', 'sort_by', 'space', 'spawn', 'split', 'split_index',
      'sqrt', 'start_timer', 'stderr', 'stdin', 'stdout', 'stdout_internal', 'stop_timer', 'stream', 'string',
      'string_eql', 'string_noparen', 'subseq', 'sum', 'sum_tuples', 'summed_area_table', 'tab', 'table_entries',
      'take', 'tan', 'tanh', 'trace_string_depth', 'trace_string_length', 'transpose', 'tree_roots', 'true', 'trunc',
      'union', 'unique', 'unpack', 'unzip', 'upper_bound', 'uppercase', 'vector_string', 'vpair', 'vsep', 'windows',
      'wordify', 'write', 'write_binary', 'write_char', 'write_check', 'write_csv', 'write_csv_named', 'write_image',
      'write_matrix_market', 'write_npy', 'write_npz', 'write_npz_compressed', 'write_object', 'write_object_to_file',
      'write_string', 'write_string_to_file', 'write_with', 'xor_scan', 'zero', 'zerop', 'zip', 'zip3',
    ],
    // End of words
  };
  const kinds = new Map(Object.entries(words).flatMap(([kind, members]) => members.map(word => [word, kind])));

  // A comment or string may lack its end. A name ends as is_name_part in nesl-compiler/src/syntax/nesl_lexer.cpp says.
  const token = new RegExp([
    '(?<comment>%[^%]*%?)',
    '(?<string>"(?:\\\\[\\s\\S]|[^"\\\\])*"?|`[\\s\\S])',
    '(?<number>(?:\\d+\\.\\d*|\\.\\d+)(?:e[-+]?\\d+)?|\\d+e[-+]?\\d+|\\d+[kmg]?)',
    '(?<name>[^\\s\\d\\-+#&\'()*,/:;<=>@[\\\\\\]^{}?|!$`".%][^\\s\\-+#&\'()*,/:;<=>@[\\\\\\]^{}?|!$`".%]*)',
  ].join('|'), 'giu');

  const escaped = text => text.replace(/[&<>]/g, character => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[character]);

  /// The text as HTML with spans whose classes are kinds of words.
  function html(text) {
    let result = '', end = 0;
    for (const match of text.matchAll(token)) {
      const {comment, string, number, name} = match.groups;
      const kind = comment !== undefined ? 'comment' : string !== undefined ? 'string' : number !== undefined ? 'number'
          : kinds.get(name.toLowerCase());
      result += escaped(text.slice(end, match.index));
      end = match.index + match[0].length;
      result += kind === undefined ? escaped(match[0]) : `<span class="${kind}">${escaped(match[0])}</span>`;
    }
    return result + escaped(text.slice(end));
  }

  return {html, escaped};
})();
