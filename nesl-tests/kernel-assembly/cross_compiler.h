#pragma once

#include <string>

namespace cvl::conformance {

/// Compiles LLVM assembly to object files for the machine that the assembly names, whatever machine this is.
class CrossCompiler {
 public:
  CrossCompiler();
  /// Whether LLVM was built for this kind of machine.
  static bool knows(const std::string& triple);
  /// The object file; empty, with an error, if the assembly is not valid.
  std::string object(const std::string& assembly, std::string& error) const;
};

}  // namespace cvl::conformance
