#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fcode-opt/letform.h"
#include "type_word.h"

namespace vcode::letform {

/// Provides what the conversion of a function needs to know about its callees.
class Callees {
 public:
  virtual ~Callees() = default;
  struct Answer {
    std::uint32_t target = 0;  ///< of the CALL in let-form
    bool returns = true;
    const TypeWords* outputs = nullptr;  ///< null: not known, or not yet
    std::string refusal = {};            ///< not empty: the call cannot be written in let-form, because …
  };
  /// `inputs` are the types of the values the call takes, the topmost last.
  virtual Answer call(std::uint32_t function, TypeWords inputs) = 0;
};

/// A function as let-form.
struct Conversion {
  Function function = {};
  TypeWords outputs = {};    ///< the topmost last
  bool returns = false;      ///< some path gets to RET
  bool complete = true;      ///< false: some paths end at calls of which the results are not known yet
  std::string refusal = {};  ///< not empty: it must stay stack code, because …
  base::Span span = {};      ///< what the refusal is about
  std::uint64_t work = 0;    ///< about how many values were looked at
};

/// Converts one function by running it with names in place of values. `inputs`, the topmost last, become its
/// parameters; a pair becomes as many parameters as there are values in it. Constants are added to `constants`, which
/// begin with those of the program.
Conversion convert_function(const vcode::Program& program, const StackEffects& stack_effects, std::uint32_t function,
                            const TypeWords& inputs, Callees& callees, std::vector<Constant>& constants);

}  // namespace vcode::letform
