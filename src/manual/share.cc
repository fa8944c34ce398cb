// SPDX-License-Identifier: Apache-2.0
#include "manual/share.h"

#include <array>
#include <vector>

#include "base/text.h"
#include "files/files.h"
#include "manual/completion_scripts.h"
#include "manual/manual_page.h"

namespace berth::manual {
namespace {

struct Shell {
  std::string_view name;
  std::string (*write)(const CommandFacts&);
  std::string_view file;  // below share/, where the shell looks for it
};

constexpr std::array kShellRows{
    Shell{"bash", bash_completion, "bash-completion/completions/berth"},
    Shell{"zsh", zsh_completion, "zsh/site-functions/_berth"},
    Shell{"fish", fish_completion, "fish/vendor_completions.d/berth.fish"},
};

Status save(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  return write_file_atomically(path.string(), text);
}

}  // namespace

Result<std::string> completion_for(std::string_view shell, const CommandFacts& program) {
  std::vector<std::string> names;
  for (const Shell& known : kShellRows) {
    if (known.name == shell) return known.write(program);
    names.emplace_back(known.name);
  }
  return bad_input("no completion for '{}'{} (there is one for {})", shell, did_you_mean(shell, names),
                   join(names, ", "));
}

Status write_share(const std::filesystem::path& folder, const CommandFacts& program, std::string_view version) {
  for (const Shell& shell : kShellRows) BERTH_RETURN_IF_ERROR(save(folder / shell.file, shell.write(program)));
  for (const CommandFacts* command : all_commands(program)) {
    const std::string name = manual_name(*command) + ".1";
    BERTH_RETURN_IF_ERROR(save(folder / "man" / "man1" / name, manual_page(*command, program, version)));
  }
  return {};
}

}  // namespace berth::manual
