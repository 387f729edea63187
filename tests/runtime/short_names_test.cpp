#include <gtest/gtest.h>

#include "runtime/platform/symbols/short_names.hpp"

namespace {

using hocket::runtime::platform::short_function_name;

TEST(ShortFunctionName, HasNoParametersAndNoQualifiersOfTheFunction) {
  EXPECT_EQ(short_function_name("push"), "push");
  EXPECT_EQ(short_function_name("queue::push(int, char const*)"), "queue::push");
  EXPECT_EQ(short_function_name("queue::size() const"), "queue::size");
  EXPECT_EQ(short_function_name("run(void (*)(int)) [clone .isra.0]"), "run");
  EXPECT_EQ(short_function_name("Task::operator()()"), "Task::operator()");
  EXPECT_EQ(short_function_name("operator<(A const&, A const&)"), "operator<");
}

TEST(ShortFunctionName, HasNoAnonymousAndInlineNamespaces) {
  EXPECT_EQ(short_function_name("(anonymous namespace)::Cache::get(int)"), "Cache::get");
  EXPECT_EQ(
      short_function_name("std::__cxx11::list<int, std::allocator<int> >::clear()"), "std::list<int>::clear");
}

TEST(ShortFunctionName, HasNoDefaultTemplateArgumentsAndNoReturnType) {
  EXPECT_EQ(
      short_function_name("std::map<int, char, std::less<int>, std::allocator<std::pair<int const, char> > "
                          ">::erase(int const&)"),
      "std::map<int, char>::erase");
  EXPECT_EQ(short_function_name("void print<std::__cxx11::basic_string<char, std::char_traits<char>, "
                                "std::allocator<char> > >(int)"),
      "print<std::string>");
  EXPECT_EQ(short_function_name("void run<worker()::{lambda()#1}>(worker()::{lambda()#1}&&)"), "run<…>");
}

TEST(ShortFunctionName, OfALambdaIsTheFunctionItWasWrittenIn) {
  EXPECT_EQ(
      short_function_name("Cache::get(int)::{lambda(int)#2}::operator()(int) const"), "lambda in Cache::get");
  EXPECT_EQ(short_function_name("hocket_body_of_Cache_Counts()::{lambda()#1}::operator()() const"),
      "lambda in body of Cache.Counts");
  EXPECT_EQ(short_function_name("shop::run(int)::$_0::operator()() const"), "lambda in shop::run");
}

TEST(ShortFunctionName, OfABodyIsThatOfItsTest) {
  EXPECT_EQ(short_function_name("hocket_body_of_Cache_CountsItsHits()"), "body of Cache.CountsItsHits");
}

}  // namespace
