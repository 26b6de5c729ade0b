#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fcode-opt/letform.h"
#include "type_word.h"

namespace vcode::letform {

/// Provides facts about callees to the conversion of a function.
class Callees {
 public:
  virtual ~Callees() = default;
  struct Answer {
    std::uint32_t target = 0;  ///< number of the callee in let-form
    bool returns = true;
    const TypeWords* outputs = nullptr;  ///< null: not known, or not yet
    std::string refusal = {};            ///< not empty: why the call cannot be written in let-form
  };
  /// Facts about a call. `inputs` are the types of the values that it takes, the topmost last.
  virtual Answer call(std::uint32_t function, TypeWords inputs) = 0;
};

/// A function as let-form.
struct Conversion {
  Function function = {};
  TypeWords outputs = {};    ///< the topmost last
  bool returns = false;      ///< some path reaches RET
  bool complete = true;      ///< false: some paths end at calls of which the results are not known yet
  std::string refusal = {};  ///< not empty: why the function must stay stack code
  base::Span span = {};      ///< code that the refusal is about
  std::uint64_t work = 0;    ///< approximate number of values visited
};

/// Converts one function by running it with names in place of values. `inputs`, the topmost last, become its
/// parameters; each value of a pair becomes a parameter of its own. Adds constants to `constants`, which begins with
/// those of the program.
Conversion convert_function(const vcode::Program& program, const StackEffects& stack_effects, std::uint32_t function,
                            const TypeWords& inputs, Callees& callees, std::vector<Constant>& constants);

}  // namespace vcode::letform
