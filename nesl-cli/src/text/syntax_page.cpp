#include "syntax_page.h"

namespace nesl_cli {

std::string_view syntax_page() {
  return R"page(% NESL on one page, a program of examples. A statement ends with ; and a comment stands between
  percent signs. After = is the reply to the statement. nesl describe NAME says more. %

% --- Values: int, float, bool, char, string, tuple, sequence --- %
(10K, 2.5e-1, t, `a, "text\n", [1, 2]);      % = (10000, 0.25, T, `a, "text\n", [1, 2]) %
[0:4] ++ [10:20:5];                          % = [0, 1, 2, 3, 10, 15] %
(#[5, 6], "hello"[1], [] int);               % = (2, `e, []) %

% --- Operators: 1 + 2.0 is a float, but an int variable n needs float(n) --- %
(7 / 2, rem(7, 2), 2^10, 1 + 2.0);           % = (3, 1, 1024, 3.0) %
(1 < 2 and "a" < "b", [1] == [1], 1 /= 2);   % = (T, T, T) %
not (t or f);                                % = F %

% --- Apply-to-each: all elements in parallel, to any depth --- %
{x * x : x in [1, 2, 3]};                    % = [1, 4, 9] %
{x in [3, 1, 2] | x > 1};                    % = [3, 2] %
{x + y : x in [1, 2]; y in [10, 20]};        % = [11, 22] %
{sum(row) : row in [[1, 2], [], [3]]};       % = [3, 0, 3] %
{k : (k, v) in [(1, "a"), (2, "")] | #v > 0};  % = [1] %

% --- Functions of sequences --- %
(sum([1, 2]), max_val([1, 2]), sort([2, 1]));  % = (3, 2, [1, 2]) %
plus_scan([1, 2, 3]);                        % = [0, 1, 3] %
[5, 6, 7] -> [2, 0];                         % = [7, 5] %
[5, 6, 7] <- [(1, 0)];                       % = [5, 0, 7] %
write_with('+, dist(0, 3), {(k, 1) : k in [0, 2, 2]});  % = [1, 0, 2] %

% --- Variables, let, if --- %
(n, m) = (5, 2);                             % = (5, 2) %
let a = n * n; b = a + m in a + b;           % = 52 %
if n > m then "more" else "less";            % = "more" %

% --- Functions: types may be given; the last arguments may have defaults --- %
function square(x) = x * x;
function power(x : int, n : int) : int = if n == 0 then 1 else x * power(x, n - 1);
function scaled(s, by := 2) = {by * x : x in s};
(square(1.5), power(2, 5), scaled([1, 2], by := 10));  % = (2.25, 32, [10, 20]) %
sort_by(x => -x, [1, 3, 2]);                 % = [3, 2, 1] %
reduce('+, 0, [1, 2, 3]);                    % = 6 %

% --- Datatypes --- %
datatype point(x : float, y : float);
point(3, 4).x;                               % = 3.0 %
let point(a, b) = point(3, 4) in sqrt(a^2 + b^2);  % = 5.0 %

% --- Text, errors --- %
(@42, parse_int("42"), "a" ++ "b");          % = ("42", (42, T), "ab") %
if n > 0 then n else error("n must be above 0");  % = 5 %

% --- Tests and benchmarks, which nesl test and nesl bench run --- %
test "squares" for x : float | x == x = square(-x) == square(x);
bench "sort" for n in [1K, 1M]; s = {rand(n) : i in [0:n]} = sort(s);
)page";
}

}  // namespace nesl_cli
