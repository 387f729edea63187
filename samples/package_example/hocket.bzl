"""An installed Hocket as a repository: its headers and libraries, and what `hocket flags` prints."""

def _words(context, hocket, arguments):
    # Bazel knows the folder by another name.
    result = context.execute([hocket, "flags", "--prefix", "external/" + context.name] + arguments)
    if result.return_code != 0:
        fail(result.stderr)
    return result.stdout.strip().split(" ")

def _installed_hocket(context):
    prefix = context.os.environ.get("HOCKET_PREFIX", "/usr/local")
    for folder in ["include", "lib"]:
        context.symlink(prefix + "/" + folder, folder)
    hocket = prefix + "/bin/hocket"
    context.file("flags.bzl", "COMPILE = %s\nLINK = %s\n" % (
        repr(_words(context, hocket, ["--compile"])),
        repr(_words(context, hocket, ["--link", "--gtest"])),
    ))
    context.file("BUILD.bazel", """
load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

cc_library(
    name = "headers",
    hdrs = glob(["include/hocket/**"]),
    includes = ["include"],
)

# What flags of the compiler name, and what flags of the linker name.
cc_library(
    name = "instrumentation",
    textual_hdrs = glob(["lib/cmake/hocket/**"]),
    deps = [":headers"],
)

filegroup(
    name = "link_inputs",
    srcs = glob(["lib/*.a", "lib/*.o", "lib/*.options"]),
)
""")

installed_hocket = repository_rule(
    implementation = _installed_hocket,
    environ = ["HOCKET_PREFIX", "CXX"],
    local = True,
)
