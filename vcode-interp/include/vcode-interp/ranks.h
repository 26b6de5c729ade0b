#pragma once

#include <memory>
#include <string>

#include "cvl/rank_job.h"
#include "vcode-interp/run_failure.h"
#include "vcode-interp/run_flags.h"

namespace interp {

/// Joins the job that has started this process, if it is one of several ranks. Rank 0 alone keeps the standard streams;
/// those of the others lead nowhere. False, with a message on standard error that begins with `command`, if the process
/// cannot take part. `job` is null if there is none.
bool join_job(const std::string& command, std::unique_ptr<cvl::RankJob>& job);

/// Reads the text of a program as base::read_file() does. In a job, rank 0 reads it for all ranks, so that their
/// programs cannot differ.
bool read_program_text(cvl::RankJob* job, const std::string& file, std::string& text, std::string& error);

/// Checks that all ranks of a job run the same program with the same options by the same binary and vector libraries,
/// those of `backend`: they would wait for each other forever. Returns a message about the first rank that differs;
/// empty if none does, or without a job. Collective.
std::string find_difference(cvl::RankJob* job, const vcode::Program& program, const std::string& backend);

/// Of these, only whether all ranks run the same program. Collective.
std::string find_other_program(cvl::RankJob* job, const vcode::Program& program);

/// Ends a program as base::end_program() does, and with it the job, if there is one. `kind`: the failure, if any. A
/// failure of the environment, which other ranks may not have, ends them too; `report` is its message, already printed
/// by this rank to standard error.
[[noreturn]] void end_run(cvl::RankJob* job, int status, RunFailure::Kind kind, const std::string& report);

}  // namespace interp
