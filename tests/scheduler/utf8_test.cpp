// Text in UTF-8: where it may be cut, how wide it is, and what of it may be printed.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "runtime/terms/utf8.hpp"

namespace hocket::test {

namespace {

TEST(Utf8, IsCutBetweenCharacters) {
  EXPECT_EQ(utf8::shortened("größer", 6), "größer");
  EXPECT_EQ(utf8::shortened("größer", 5), "größ…");
  EXPECT_EQ(utf8::shortened("größer", 1), "…");
  EXPECT_EQ(utf8::shortened("größer", 0), "");
  EXPECT_EQ(utf8::shortened("漢字漢字", 6), "漢字…");
  EXPECT_EQ(utf8::columns("漢字"), 4U);
  EXPECT_EQ(utf8::columns("e\u0301"), 1U);
}

TEST(Utf8, TellsTextFromBytes) {
  EXPECT_EQ(utf8::first_invalid("größe 漢字 😀 \u07ff\u0800\uffff"), std::string::npos);
  // Cut off, continuation alone, overlong, surrogate, beyond the last character, bytes that never occur.
  for (const std::string_view bad : {"\xc3", "\xe6\xbc", "\xf0\x9f\x98", "\x80", "\xc0\x80", "\xe0\x80\x80",
           "\xf0\x80\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(utf8::first_invalid("ok" + std::string(bad)), 2U) << utf8::valid(bad);
  }
  EXPECT_EQ(utf8::valid("a\xffz\xc3"), "a\\xffz\\xc3");
  EXPECT_EQ(utf8::printable("a\tb\nc\x01\xff"), "a b\\nc\\x01\\xff");
}

TEST(Utf8, ReplacesEveryMarkThatTurnsTextOrSeparatesLines) {
  for (const std::string mark : {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b",
           "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"}) {
    EXPECT_EQ(utf8::printable("a" + mark + "b"), "a\uFFFDb");
  }
  EXPECT_EQ(utf8::printable("\u061b \u200d \u2010 \u2027 \u202f \u2065 \u206a"),
      "\u061b \u200d \u2010 \u2027 \u202f \u2065 \u206a");
}

TEST(Utf8, WritesEveryControlCharacterInDigits) {
  for (unsigned c = 0; c < 0xa0; ++c) {
    if (c == '\n' || c == '\t' || (c >= 0x20 && c < 0x7f)) continue;
    const std::string text =
        c < 0x80 ? std::string(1, static_cast<char>(c)) : std::string("\xc2") + static_cast<char>(c);
    EXPECT_EQ(utf8::printable(text).substr(0, 2), "\\x") << c;
    EXPECT_EQ(utf8::printable(text).size(), 4U) << c;
  }
}

}  // namespace

}  // namespace hocket::test
