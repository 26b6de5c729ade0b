#include "shared_lines.h"

namespace nesl_cli {

namespace {

class SharedLines final : public LineSource {
  /// The answer of rank 0, on all ranks.
  template <class Ask>
  auto of_rank_zero(Ask&& ask) {
    decltype(ask()) answer{};
    if (lines_ != nullptr) answer = ask();
    job_.broadcast(&answer, sizeof answer);
    return answer;
  }

 public:
  SharedLines(cvl::RankJob& job, std::unique_ptr<LineSource> lines)
      : job_(job), lines_(std::move(lines)), is_interactive_(of_rank_zero([&] { return lines_->is_interactive(); })) {}

  Event next(const std::string& prompt, std::string& line) override {
    const Event event = of_rank_zero([&] { return lines_->next(prompt, line); });
    share(line);
    return event;
  }
  bool is_interactive() const override { return is_interactive_; }
  bool has_more() override {
    return of_rank_zero([&] { return lines_->has_more(); });
  }
  void remember(const std::string& text) override {
    if (lines_ != nullptr) lines_->remember(text);
  }
  std::string failure() const override {
    std::string text = lines_ != nullptr ? lines_->failure() : "";
    share(text);
    return text;
  }

 private:
  void share(std::string& text) const {
    std::size_t size = text.size();
    job_.broadcast(&size, sizeof size);
    text.resize(size);
    job_.broadcast(text.data(), size);
  }

  cvl::RankJob& job_;
  const std::unique_ptr<LineSource> lines_;
  const bool is_interactive_;
};

}  // namespace

std::unique_ptr<LineSource> shared_lines(cvl::RankJob& job, std::unique_ptr<LineSource> lines) {
  return std::make_unique<SharedLines>(job, std::move(lines));
}

}  // namespace nesl_cli
