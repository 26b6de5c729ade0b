#include "line_editor.h"

#include <histedit.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdio>
#include <cwchar>
#include <new>

#include <fmt/format.h>

#include "history_text.h"
#include "terminal_input.h"
#include "vcode-interp/interrupt.h"

namespace nesl_cli {

namespace {

constexpr int kHistoryLines = 2000;
constexpr std::string_view kAscii = "ANSI_X3.4-1968";        // as nl_langinfo names it
constexpr auto kNoCharacter = static_cast<std::size_t>(-1);  // as std::mbrtowc says it

class LineEditor final : public LineSource {
 public:
  LineEditor(std::string history_file, EditorFiles files, std::function<Completion(std::string_view)> completer)
      : history_file_(std::move(history_file)), completer_(std::move(completer)) {
    // The editor counts characters, not bytes. Terminals send UTF-8 also where the locale has only ASCII or is not
    // installed; in such a locale, these bytes would form no characters.
    std::setlocale(LC_CTYPE, "");
    if (std::string_view(nl_langinfo(CODESET)) == kAscii) std::setlocale(LC_CTYPE, "C.UTF-8");
    editor_ = el_init("nesl", stdin, stdout, stderr);
    history_ = history_init();
    // An unknown terminal counts as a dumb one, so that these calls fail only for lack of memory.
    if (editor_ == nullptr || history_ == nullptr) throw std::bad_alloc();
    history(history_, &event_, H_SETSIZE, kHistoryLines);
    history(history_, &event_, H_SETUNIQUE, 1);
    if (!history_file_.empty()) history(history_, &event_, H_LOAD, history_file_.c_str());
    el_set(editor_, EL_CLIENTDATA, this);
    el_set(editor_, EL_PROMPT, &LineEditor::prompt);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_HIST, history, history_);
    el_set(editor_, EL_GETCFN, &LineEditor::read_character);
    el_set(editor_, EL_ADDFN, "nesl-complete", "Complete a name", &LineEditor::complete_name);
    el_set(editor_, EL_BIND, "^I", "nesl-complete", nullptr);
    if (files == EditorFiles::kUsers) el_source(editor_, nullptr);
  }
  ~LineEditor() override {
    history_end(history_);
    el_end(editor_);
  }

  Event next(const std::string& prompt, std::string& line) override {
    prompt_ = prompt;
    el_resize(editor_);
    input_.expect_pastes(true);
    // Raw mode begins before the prompt, so that the terminal itself handles no key that is pressed at once.
    el_set(editor_, EL_PREP_TERM, 1);
    int length = 0;
    const char* typed = el_gets(editor_, &length);
    input_.expect_pastes(false);
    if (typed == nullptr || length <= 0) {
      const bool interrupted = interp::pending_interrupt() != interp::Interrupt::kNone;
      std::fputs(interrupted ? "^C\n" : "\n", stdout);
      std::fflush(stdout);
      el_reset(editor_);
      return interrupted ? Event::kInterrupt : Event::kEnd;
    }
    line.assign(typed, static_cast<std::size_t>(length));
    if (line.ends_with('\n')) line.pop_back();
    return Event::kLine;
  }

  bool is_interactive() const override { return true; }

  bool has_more() override { return input_.is_pasting(); }

  void remember(const std::string& statement) override {
    const std::string line = one_line(statement);
    history(history_, &event_, H_ENTER, line.c_str());
    if (!history_file_.empty()) history(history_, &event_, H_SAVE, history_file_.c_str());
  }

 private:
  static LineEditor& self(EditLine* editor) {
    void* data = nullptr;
    el_get(editor, EL_CLIENTDATA, &data);
    return *static_cast<LineEditor*>(data);
  }

  static char* prompt(EditLine* editor) { return self(editor).prompt_.data(); }

  // Replaces the function of the library, which does not return when a signal arrives.
  static int read_character(EditLine* editor, wchar_t* character) {
    std::mbstate_t state{};
    for (char byte;;) {
      const int n = self(editor).input_.next(byte);
      if (n <= 0) return n;
      std::size_t used = std::mbrtowc(character, &byte, 1, &state);
      if (used == kNoCharacter) {
        // Invalid bytes are dropped; the next character may begin with this byte.
        state = {};
        used = std::mbrtowc(character, &byte, 1, &state);
        if (used == kNoCharacter) state = {};
      }
      if (used <= 1) return 1;
    }
  }

  static unsigned char complete_name(EditLine* editor, int) {
    const LineInfo* info = el_line(editor);
    LineEditor& me = self(editor);
    const Completion found = me.completer_({info->buffer, static_cast<std::size_t>(info->cursor - info->buffer)});
    if (!found.insert.empty()) return el_insertstr(editor, found.insert.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
    if (found.choices.empty()) return CC_ERROR;
    std::fputs(columns(found.choices).c_str(), stdout);
    std::fflush(stdout);
    return CC_REDISPLAY;
  }

  static std::string columns(const std::vector<std::string>& words) {
    std::size_t widest = 0;
    for (const std::string& word : words) widest = std::max(widest, word.size());
    winsize window{};
    const std::size_t total = ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 ? window.ws_col : 80;
    const std::size_t across = std::max<std::size_t>(1, total / (widest + 2));
    std::string text = "\n";
    for (std::size_t k = 0; k < words.size(); ++k)
      text += fmt::format("{:<{}}{}", words[k], widest + 2, (k + 1) % across == 0 || k + 1 == words.size() ? "\n" : "");
    return text;
  }

  TerminalInput input_;
  const std::string history_file_;
  const std::function<Completion(std::string_view)> completer_;
  std::string prompt_;
  EditLine* editor_ = nullptr;
  History* history_ = nullptr;
  HistEvent event_{};
};

}  // namespace

std::unique_ptr<LineSource> line_editor(const std::string& history_file, EditorFiles files,
                                        std::function<Completion(std::string_view before)> completer) {
  return std::make_unique<LineEditor>(history_file, files, std::move(completer));
}

}  // namespace nesl_cli
