// What GoogleTest prints in a program that has begun anew.
#pragma once

namespace hocket::testing {

/// Has what GoogleTest prints go on where it was before a fresh start: standard output shows nothing until
/// then, and a random order of tests stays the same.
void continue_output();

}  // namespace hocket::testing
