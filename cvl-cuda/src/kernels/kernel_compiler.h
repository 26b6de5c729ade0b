#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "base/launched_function.h"

namespace cvl::cuda {

/// The functions of a compiled kernel. They can be launched as long as this object exists.
class KernelCode {
 public:
  virtual ~KernelCode() = default;
  /// The function of this name. Throws std::runtime_error if there is none.
  virtual LaunchedFunction function(const std::string& name) const = 0;
};

/// A compiler rejected a text. what() is a sentence; messages() are all messages of the compiler.
class CompileError : public std::runtime_error {
 public:
  CompileError(const std::string& sentence, std::string messages)
      : std::runtime_error(sentence), messages_(std::move(messages)) {}
  const std::string& messages() const { return messages_; }

 private:
  std::string messages_;
};

/// Compiles the texts of generated kernels. Any thread may call the members. Failures throw std::runtime_error with a
/// sentence.
class KernelCompiler {
 public:
  virtual ~KernelCompiler() = default;
  /// Name of the compiler, for messages; whether it is installed is not checked.
  virtual std::string name() const = 0;
  /// Everything besides the text that an object depends on. Does not use the compiler, so that cached objects can be
  /// loaded where the compiler is missing.
  virtual std::string target() const = 0;
  /// Returns an object, which load() accepts in any process. Throws CompileError if the text is rejected.
  virtual std::string compile(const std::string& text) const = 0;
  virtual std::unique_ptr<KernelCode> load(const std::string& object) const = 0;
};

}  // namespace cvl::cuda
