"""A recipe for Conan 2 of the tree that it is in: conan create HOCKET/packaging/conan"""

import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load


class Hocket(ConanFile):
    name = "hocket"
    description = "Systematic concurrency tester for C++20"
    license = "MIT"
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"with_gtest": [True, False]}
    default_options = {"with_gtest": True}

    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        project = load(self, os.path.join(self._tree(), "CMakeLists.txt"))
        self.version = re.search(r"project\(hocket\s+VERSION ([0-9.]+)", project).group(1)

    def export_sources(self):
        for pattern in (
            "CMakeLists.txt", "LICENSE", "README.md", "cmake/*", "docs/*", "interpose/*", "model/*",
            "runtime/*", "samples/*", "scheduler/*", "tests/*", "tools/*",
        ):
            copy(self, pattern, src=self._tree(), dst=self.export_sources_folder)

    def requirements(self):
        self.requires("boost/[>=1.74 <2]", transitive_headers=True, transitive_libs=True)
        self.requires("spdlog/[>=1.10 <2]", transitive_libs=True)
        self.requires("elfutils/[>=0.182 <1]", visible=False)
        self.requires("nlohmann_json/[>=3.11 <4]", visible=False)
        self.requires("cli11/[>=2 <3]", visible=False)
        if self.options.with_gtest:
            self.requires("gtest/[>=1.12 <2]", transitive_headers=True, transitive_libs=True)

    def validate(self):
        check_min_cppstd(self, 20)
        if self.settings.os != "Linux" or self.settings.arch != "x86_64":
            raise ConanInvalidConfiguration("Hocket is for Linux on x86-64")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["HOCKET_BUILD_TESTS"] = False
        toolchain.cache_variables["HOCKET_BUILD_SAMPLES"] = False
        toolchain.cache_variables["HOCKET_INSTALL"] = True
        toolchain.cache_variables["HOCKET_WERROR"] = False
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_benchmark"] = True
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_GTest"] = not self.options.with_gtest
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # Hocket's own package for CMake has hocket_instrument().
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/hocket"]
