// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "files/files.h"
#include "manual/manual_page.h"
#include "manual/share.h"

namespace berth::manual {
namespace {

// sail, with one command: sail tack [-s, --side SIDE] WIND
CommandFacts small_program() {
  CommandFacts tack{"sail tack", "turn through the wind", "Slowly.\nExample:\n  sail tack north"};
  tack.arguments = {{{"WIND"}, "TEXT", "where it's from", "", "", {"north", "south"}, false, true}};
  tack.flags = {{{"-s", "--side"}, "SIDE", "which side", "port", "Options"},
                {{"--log"}, "FILE", ".log\n'quoted", "", "Files", {}, true}};
  CommandFacts program{"sail", "sails boats", ""};
  program.commands = {tack};
  return program;
}

TEST(Manual, APageHasAllThatIsKnownOfACommand) {
  const CommandFacts program = small_program();
  EXPECT_EQ(manual_name(program.commands[0]), "sail-tack");
  const std::string page = manual_page(program.commands[0], program, "1.2");
  EXPECT_TRUE(
      page.starts_with(".TH SAIL\\-TACK 1 \"\" \"berth 1.2\" \"Berth\"\n.SH NAME\nsail\\-tack \\- turn through"));
  EXPECT_NE(page.find(".SH SYNOPSIS\n\\fBsail tack\\fR \\fIWIND\\fR [\\fIOPTIONS\\fR]\n"), std::string::npos);
  EXPECT_NE(page.find(".TP\n\\fB\\-s\\fR, \\fB\\-\\-side\\fR \\fISIDE\\fR\nwhich side\n(default: port)\n"),
            std::string::npos);
  EXPECT_NE(page.find(".SS Files\n"), std::string::npos);
  EXPECT_NE(page.find(".SH NOTES\n.nf\nSlowly.\n.fi\n.SH EXAMPLES\n.nf\nsail tack north\n.fi\n"), std::string::npos);
}

TEST(Manual, TextAtTheStartOfALineIsNoCommandOfTroff) {
  const CommandFacts program = small_program();
  const std::string page = manual_page(program.commands[0], program, "1");
  EXPECT_NE(page.find("\n\\&.log\n.br\n\\&'quoted\n"), std::string::npos);
}

TEST(Manual, EveryShellOffersCommandsFlagsAndWords) {
  for (const std::string_view shell : {"bash", "zsh", "fish"}) {
    const Result<std::string> script = completion_for(shell, small_program());
    ASSERT_TRUE(script);
    for (const std::string_view word : {"tack", "side", "north", "log"}) {
      EXPECT_NE(script->find(word), std::string::npos) << shell << ": " << word;
    }
  }
  const Result<std::string> none = completion_for("fisch", small_program());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "no completion for 'fisch'; did you mean 'fish'? (there is one for bash, zsh, fish)");
}

TEST(Manual, AnInstallationHasAPageForEveryCommand) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "manual_share";
  std::filesystem::remove_all(folder);
  const CommandFacts program = small_program();
  ASSERT_TRUE(write_share(folder, program, "1.2").ok());
  const Result<std::string> page = read_file((folder / "man/man1/sail-tack.1").string());
  ASSERT_TRUE(page);
  EXPECT_EQ(*page, manual_page(program.commands[0], program, "1.2"));
  EXPECT_TRUE(std::filesystem::exists(folder / "man/man1/sail.1"));
  EXPECT_TRUE(std::filesystem::exists(folder / "zsh/site-functions/_berth"));
}

TEST(Manual, TheTreeForProgramsNamesWhatIsRequired) {
  const std::string json = commands_json(small_program());
  EXPECT_NE(json.find(R"("command": "sail tack",)"), std::string::npos) << json;
  EXPECT_NE(
      json.find(R"({"names": ["WIND"], "value": "TEXT", "help": "where it's from", "default": "", "required": true})"),
      std::string::npos)
      << json;
}

}  // namespace
}  // namespace berth::manual
