;;; nesl-mode.el --- Major mode for NESL programs -*- lexical-binding: t; -*-

;; Version: 0.2.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages
;; SPDX-License-Identifier: MIT

;;; Commentary:

;; Highlighting and indentation of NESL programs, and the language server of the command nesl for Eglot, which is part of
;; Emacs 29: M-x eglot in a buffer with a program starts it.

;;; Code:

(defgroup nesl nil
  "NESL programs."
  :group 'languages)

(defcustom nesl-command "nesl"
  "The command nesl, which has the language server."
  :type 'string)

;; Words: written by packaging/editors/write_modes.py
(defconst nesl-declarations
  '("function" "datatype" "closure" "pair" "defconfig")
  "Words that begin definitions.")
(defconst nesl-controls
  '("if" "then" "else" "let" "in" "time")
  "Words of expressions.")
(defconst nesl-operators
  '("and" "or" "nand" "nor" "xor")
  "Words that are operators.")
(defconst nesl-constants
  '("t" "f")
  "Words for truth values.")
(defconst nesl-types
  '("int" "float" "bool" "char")
  "Words for scalar types.")
(defconst nesl-library
  '("abrev_string" "abrev_string_noparen" "abrev_string_paren" "abs" "acos" "all" "and_scan" "any"
    "append" "append_string_to_file" "argmax" "argmin" "args" "argsort" "asin" "atan" "atan2"
    "bool_string" "bottop" "btoi" "buckets" "ceil" "char_code" "char_map" "char_rank" "char_string"
    "cheap_hash_vector" "clock" "close_check" "close_file" "code_char" "collect" "collect_pairs"
    "cond_put" "cons" "contains" "cos" "cosh" "count" "create_table" "date" "diff" "digitp" "dist"
    "dot" "drop" "elt" "elt_nocheck" "enumerate" "eput" "eql" "error" "even_elts" "evenp" "exp"
    "exp_string" "expt" "false" "fast_create_table" "filter" "find" "first" "flag_merge"
    "flag_partition" "flatten" "float_num" "float_string" "float_to_any" "floor" "fold" "format"
    "fpermute_hack" "fseq" "gcd" "get" "get_environment_variable" "get_nocheck" "grep" "group_by"
    "group_by_separator_flags" "group_by_separator_flags_x" "group_by_space" "hash" "hash_float"
    "hash_scalar" "hash_table_factor" "hash_vector" "hashinternal" "hashtable" "head_rest"
    "histogram" "hypot" "identity" "index" "inf" "insert_table" "int_collect" "int_collect_pairs"
    "int_histogram" "int_string" "int_to_any" "interleave" "intersection" "iseq" "iseq1" "iseqm1"
    "isqrt" "join" "justify_text" "kth_smallest" "length" "length_from_flags" "linify" "ln" "log"
    "lower_bound" "lowercase" "lshift" "make_sequence" "make_table" "map" "mark_duplicates" "max"
    "max_index" "max_int" "max_scan" "max_val" "mean" "median" "min" "min_index" "min_int"
    "min_scan" "min_val" "minusp" "mod" "mult_scan" "name" "nan" "negate" "newline" "next"
    "next_char" "normal" "not" "nullstr" "odd_elts" "oddp" "one" "open_append_file" "open_check"
    "open_file" "open_in_file" "open_out_file" "or_scan" "pack" "pack_index" "pack_scalar" "parity"
    "parse_float" "parse_int" "parse_int_vect" "parse_unsigned_int" "partition" "permute"
    "permute_nocheck" "pi" "picture" "plot" "plot_histogram" "plus_scan" "plusp" "power"
    "prefix_sums" "previous" "prim_parse_float" "print" "print_char" "print_debug" "print_line"
    "print_string" "print_trace" "printl" "product" "prompt" "put" "put_with" "rand" "rand_seed"
    "rank" "rank_down" "read" "read_binary" "read_char" "read_check" "read_csv" "read_csv_named"
    "read_csv_with" "read_float_seq" "read_float_seq_from_file" "read_int_seq"
    "read_int_seq_from_file" "read_line" "read_lines" "read_matrix_market" "read_npy" "read_npz"
    "read_object" "read_object_from_file" "read_string" "read_string_from_file" "read_text"
    "read_word" "reciprocal" "reduce" "rem" "rem_internal" "remove_duplicates" "rep" "rest"
    "rest_tail" "reverse" "rotate" "round" "rshift" "runs" "scan" "scatter" "search_for_subseqs"
    "search_table" "select" "seq_dist" "set_difference" "shell_check" "shell_command" "shuffle"
    "sin" "sinh" "snoc" "sort" "sort_by" "space" "spawn" "split" "split_index" "sqrt" "start_timer"
    "stderr" "stdin" "stdout" "stdout_internal" "stop_timer" "stream" "string" "string_eql"
    "string_noparen" "subseq" "sum" "sum_tuples" "summed_area_table" "tab" "table_entries" "take"
    "tan" "tanh" "trace_string_depth" "trace_string_length" "transpose" "tree_roots" "true" "trunc"
    "union" "unique" "unpack" "unzip" "upper_bound" "uppercase" "vector_string" "vpair" "vsep"
    "windows" "wordify" "write" "write_binary" "write_char" "write_check" "write_csv"
    "write_csv_named" "write_image" "write_matrix_market" "write_npy" "write_npz"
    "write_npz_compressed" "write_object" "write_object_to_file" "write_string"
    "write_string_to_file" "write_with" "xor_scan" "zero" "zerop" "zip" "zip3")
  "Words for functions of the library.")
;; End of words

(defconst nesl-name "\\(?:\\sw\\|\\s_\\)+"
  "Regular expression for the rest of a name.")

(defvar nesl-mode-syntax-table
  (let ((table (make-syntax-table)))
    ;; Comments begin and end with %.
    (modify-syntax-entry ?% "!" table)
    (modify-syntax-entry ?\" "\"" table)
    (modify-syntax-entry ?\\ "\\" table)
    (modify-syntax-entry ?_ "w" table)
    (modify-syntax-entry ?~ "w" table)
    (dolist (sign (string-to-list "+-*/^<>=#@!?&|':;,.$`"))
      (modify-syntax-entry sign "." table))
    table)
  "Syntax table of `nesl-mode'.")

(defconst nesl-syntax-propertize
  ;; The character behind ` is no quote, bracket or comment.
  (syntax-propertize-rules ("`\\(.\\|\n\\)" (1 ".")))
  "Syntax of characters that depends on those before them.")

(defun nesl-words (words)
  "Return a regular expression for whole WORDS."
  (regexp-opt words 'words))

(defconst nesl-font-lock-keywords
  `(("`\\(?:.\\|\n\\)" . font-lock-string-face)
    ("\\_<\\(function\\)[ \t\n]+\\(\\(?:\\sw\\|\\s_\\)+\\)" (1 font-lock-keyword-face) (2 font-lock-function-name-face))
    ("\\_<\\(datatype\\)[ \t\n]+\\(\\(?:\\sw\\|\\s_\\)+\\)" (1 font-lock-keyword-face) (2 font-lock-type-face))
    ("\\_<\\(test\\|bench\\)[ \t]*\"" 1 font-lock-keyword-face)
    ("\"[ \t]*\\(for\\)\\_>" 1 font-lock-keyword-face)
    ("\\_<in[ \t]+\\(any\\|scalar\\|ordinal\\|number\\|logical\\)[ \t]*[;)]" 1 font-lock-type-face)
    (,(nesl-words nesl-declarations) . font-lock-keyword-face)
    (,(nesl-words nesl-controls) . font-lock-keyword-face)
    (,(nesl-words nesl-operators) . font-lock-keyword-face)
    (,(nesl-words nesl-constants) . font-lock-constant-face)
    (,(nesl-words nesl-types) . font-lock-type-face)
    (,(nesl-words nesl-library) . font-lock-builtin-face))
  "Highlighting of `nesl-mode'.")

;; Indentation, as nesl fmt lays programs out.

(defconst nesl-token
  (concat "\\_<\\(?:let\\|in\\|if\\|then\\|else\\)\\_>\\|[][(){};$]\\|[^ \t\n]")
  "Regular expression for words and signs that open and close constructs.")

(defun nesl-pop-to (stack &rest kinds)
  "Return STACK without the constructs above the next of one of KINDS.
The last construct stays."
  (while (and (cdr stack) (not (member (plist-get (car stack) :kind) kinds)))
    (setq stack (cdr stack)))
  stack)

(defun nesl-counterpart (bracket)
  "Return the sign that the closing BRACKET closes."
  (cdr (assoc bracket '((")" . "(") ("]" . "[") ("}" . "{")))))

(defun nesl-read-token (stack token begin previous)
  "Return STACK after TOKEN at position BEGIN, which follows the token PREVIOUS."
  (let* ((column (save-excursion (goto-char begin) (current-column)))
         (margin (save-excursion (goto-char begin) (current-indentation)))
         (ends-line (looking-at-p "[ \t]*\\(?:%[^%\n]*%[ \t]*\\)?$"))
         (top (car stack)))
    (when (equal (plist-get top :start) 0)
      (setq stack (list '(:kind "statement" :column 0 :start 2))))
    (cond
     ((member token '("(" "[" "{"))
      (cons (list :kind token :column (if ends-line margin column) :start (if ends-line (+ margin 2) (1+ column))) stack))
     ((member token '(")" "]" "}"))
      (setq stack (nesl-pop-to stack (nesl-counterpart token)))
      (or (cdr stack) stack))
     ((equal token "let")
      (cons (list :kind token :column column :start (+ column (if ends-line 2 4))) stack))
     ((equal token "if")
      (let ((column (if (equal previous "else") (plist-get top :column) column)))
        (cons (list :kind token :column column :start (+ column 2)) stack)))
     ((equal token "else")
      (setq stack (nesl-pop-to stack "if" "(" "[" "{"))
      (if (equal (plist-get (car stack) :kind) "if")
          (cons (plist-put (copy-sequence (car stack)) :kind "else") (cdr stack))
        stack))
     ((and (equal token "in") (member (plist-get (car stack) :kind) '("let" "if" "else" "body")))
      (setq stack (nesl-pop-to stack "let" "(" "[" "{"))
      (if (equal (plist-get (car stack) :kind) "let")
          (cons (list :kind "body" :column column :start (+ column (if ends-line 2 3))) (cdr stack))
        stack))
     ((member token '(";" "$"))
      (setq stack (if (equal token "$") (last stack) (nesl-pop-to stack "let" "{")))
      (if (cdr stack) stack (list '(:kind "statement" :column 0 :start 0))))
     (t stack))))

(defun nesl-indentation ()
  "Return the column where the current line should begin.
It follows from the constructs that are open in front of the line."
  (save-excursion
    (beginning-of-line)
    (let ((limit (point))
          (case-fold-search t)
          (stack (list '(:kind "statement" :column 0 :start 0)))
          (previous ""))
      (unless (re-search-backward "^\\(?:function\\|datatype\\|test\\|bench\\)\\_>" nil t)
        (goto-char (point-min)))
      (while (progn (forward-comment (buffer-size))
                    (and (< (point) limit) (re-search-forward nesl-token limit t)))
        (let ((token (downcase (match-string 0)))
              (begin (match-beginning 0)))
          (when (equal token "\"")
            (goto-char begin)
            (condition-case nil (forward-sexp) (error (goto-char limit))))
          (when (equal token "`")
            (goto-char (min limit (1+ (point)))))
          (setq stack (nesl-read-token stack token begin previous)
                previous token)))
      (goto-char limit)
      (back-to-indentation)
      (cond
       ((looking-at "[])}]")
        (plist-get (car (nesl-pop-to stack (nesl-counterpart (match-string 0)))) :column))
       ((looking-at-p "in\\_>") (plist-get (car (nesl-pop-to stack "let")) :column))
       ((looking-at-p "\\(?:then\\|else\\)\\_>") (plist-get (car (nesl-pop-to stack "if")) :column))
       (t
        (let ((continues (and (equal (plist-get (car stack) :kind) "let") (not (member previous '("let" ";"))))))
          (+ (plist-get (car stack) :start) (if continues 2 0))))))))

(defun nesl-indent-line ()
  "Indent the current line; inside comments and strings it stays as it is."
  (interactive)
  (let ((column (if (nth 8 (syntax-ppss (line-beginning-position))) (current-indentation) (nesl-indentation))))
    (if (<= (current-column) (current-indentation))
        (indent-line-to column)
      (save-excursion (indent-line-to column)))))

;;;###autoload
(define-derived-mode nesl-mode prog-mode "NESL"
  "Major mode for NESL programs."
  (setq-local comment-start "% ")
  (setq-local comment-end " %")
  (setq-local comment-start-skip "%[ \t]*")
  (setq-local indent-line-function #'nesl-indent-line)
  (setq-local indent-tabs-mode nil)
  (setq-local syntax-propertize-function nesl-syntax-propertize)
  (setq-local font-lock-defaults '(nesl-font-lock-keywords nil t)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.nesl\\'" . nesl-mode))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons 'nesl-mode (lambda (&rest _) (list nesl-command "lsp")))))

(provide 'nesl-mode)
;;; nesl-mode.el ends here
