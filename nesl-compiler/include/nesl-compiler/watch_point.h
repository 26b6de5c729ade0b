#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "nesl-compiler/place.h"
#include "nesl-compiler/value_shape.h"

namespace nesl {

/// Additions of Session::compile() to programs, for viewers.
enum class Watch {
  kNothing,
  kValues,  ///< the program calls a watch function with each value; see WatchPoint
  /// The locations of operations name expressions: line k of any file means Compiled::places[k - 1]. Literals of the
  /// statement are further parameters, so that the optimizer does not compute with them. Not to be run.
  kPlaces,
};

/// A point of a flattened program where a value has been computed. The program calls the function
/// watch_function_name(k) for point k of Compiled::watch_points. The function does nothing; its operands are, deepest
/// first:
///   - for each of `levels`, outermost first: a descriptor with a segment for each instance of the enclosing level, or
///     flags, one for each instance of the enclosing level, which say whether the level contains the instance;
///   - the entries of the value, as ValueShape orders them, for all instances of nesting level `level` together.
/// The function that contains the point has `own` further levels outside of `levels`, which are levels of its callers:
/// a point kCall precedes each call, and a point kReturn follows it. Level 0 has one instance.
struct WatchPoint {
  enum class Kind {
    kValue,      ///< the value of an expression
    kElements,   ///< the elements that an apply-to-each binds to a pattern
    kParameter,  ///< a parameter of a function of the user
    kCall,       ///< no value: a call begins, `callers` says with which levels
    kReturn,     ///< no value: the call has ended
  };
  /// A nesting level.
  struct Level {
    bool is_subset = false;  ///< given by flags: what a filter keeps, or the instances that take a branch
    std::string label = {};  ///< "row in matrix", "if x > 0", "else"; empty in the library
  };

  Kind kind = Kind::kValue;
  Place place = {};           ///< the expression, the pattern of kElements, or the name of the function of kParameter
  std::string function = {};  ///< the user's function that contains the place, or the called function of kCall; empty
                              ///< for a top-level statement
  base::Span text = {};       ///< the whole function or statement, in place.source
  std::string name = {};      ///< of kElements and kParameter: the pattern or parameter as the source spells it
  ValueShape shape = {};      ///< of an instance of the value
  int level = 0;              ///< nesting level of the value, at most own + levels.size()
  int own = 0;
  std::vector<Level> levels = {};
  /// The condition of a conditional, one of whose branches contains the expression: both are computed for all
  /// instances. Empty if there is none, or if branches are computed for the instances that take them.
  std::string either_way = {};
  std::vector<int> callers = {};  ///< of kCall: for each own level of the called function, the level of the caller
};

inline constexpr std::string_view kWatchFunction = "WATCH.";
/// Name of the function that is called at point `number`: "WATCH.12", which no function of a program has.
inline std::string watch_function_name(std::size_t number) {
  return std::string(kWatchFunction) + std::to_string(number);
}

}  // namespace nesl
