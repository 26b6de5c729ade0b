#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cvl/rank_job.h"
#include "files/value_files.h"

namespace interp {

/// Files of one value that all ranks of a job read or write, each a part, on a file system that they share. Functions
/// are as those of ValueFiles, and collective. A FileError is the same on all ranks.
class RankFiles {
 public:
  /// Numbers of files from here downward are of this class.
  static constexpr std::int64_t kFirst = -(std::int64_t{1} << 20);

  /// `of_rank_zero`: writes the files of which ranks cannot write parts.
  RankFiles(runtime::Evaluator& evaluator, ValueFiles& of_rank_zero);

  /// Nothing if rank 0 has to read the file for all: if it is short, is not the same file for all ranks, or has parts
  /// that cannot be understood without those before.
  std::optional<std::int64_t> open_to_read(cvl::RankJob& job, FileRequest request);
  /// Nothing if ranks cannot write parts of files of this format.
  std::optional<std::int64_t> open_to_write(FileRequest request);
  bool is_open(std::int64_t number) const { return files_.contains(number); }

  ReadOutcome take(cvl::RankJob& job, vcode::Suffix type, std::int64_t number);
  /// `value` is a vector or a descriptor, whose elements need not be on the host.
  std::string add(vcode::Suffix type, runtime::Value value, std::int64_t number);
  void close(cvl::RankJob& job, std::int64_t number);

 private:
  struct Written {
    vcode::Suffix kind;
    runtime::Value value;
  };
  struct Open {
    FileRequest request;
    bool to_write = false;
    FileValue read = {};
    bool is_begun = false;  ///< whether the first vector has been taken
    std::vector<Written> written = {};
  };
  std::int64_t open(Open file);
  void write_by_rank_zero(cvl::RankJob& job, const Open& file);

  runtime::Evaluator& evaluator_;
  ValueFiles& of_rank_zero_;
  const std::shared_ptr<FileMemory> memory_;
  std::map<std::int64_t, Open> files_;
};

}  // namespace interp
