#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "base/launched_function.h"

namespace cvl::cuda {

/// The functions of a compiled kernel. They may be launched until it is destroyed.
class KernelCode {
 public:
  virtual ~KernelCode() = default;
  /// The function of this name. Throws std::runtime_error if there is none.
  virtual LaunchedFunction function(const std::string& name) const = 0;
};

/// A text that is refused: a sentence, and all that the compiler said.
class CompileError : public std::runtime_error {
 public:
  CompileError(const std::string& sentence, std::string messages)
      : std::runtime_error(sentence), messages_(std::move(messages)) {}
  const std::string& messages() const { return messages_; }

 private:
  std::string messages_;
};

/// Makes functions from the texts of generated kernels. Any thread may call it. What fails throws std::runtime_error,
/// with a sentence.
class KernelCompiler {
 public:
  virtual ~KernelCompiler() = default;
  /// What compiles, for people; does not look whether it is there.
  virtual std::string name() const = 0;
  /// All that objects depend on besides their text. Needs nothing that compiles, so that what a cache has can be used
  /// without it.
  virtual std::string target() const = 0;
  /// An object: what load() takes, in any process. Throws CompileError for a text that is refused.
  virtual std::string compile(const std::string& text) const = 0;
  virtual std::unique_ptr<KernelCode> load(const std::string& object) const = 0;
};

}  // namespace cvl::cuda
