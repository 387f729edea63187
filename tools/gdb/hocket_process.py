"""What a Hocket test has written down for debuggers (scheduler/process/debugger.cpp), for the scripts of gdb and
LLDB. It calls nothing in the process.
"""
import re

FORMAT = 3
RED_ZONE = 0x80  # bytes that a fiber skips before it leaves; see fiber_switch.hpp
FRESH, RUNNING, STOPPED, ENDED = range(4)


class Problem(Exception):
    """A sentence for the user."""


class Process:
    """`memory` has read(address, size) and write(address, bytes); `begin` is the address of
    hocket_for_debuggers, or None."""

    FIELDS = (
        "format os_thread count threads current context ordinal creator state operation joins "
        "steps_made steps stop_before step report failed names name_size"
    ).split()

    def __init__(self, memory, begin):
        if begin is None:
            raise Problem("this is not a Hocket test")
        self.memory = memory
        self.begin = begin
        for number, field in enumerate(self.FIELDS):
            setattr(self, field, self.word(begin + 8 * number))
        if self.os_thread == 0:
            raise Problem("no execution is running")
        if self.format != FORMAT:
            raise Problem("this program was built with another version of Hocket; use the script of that version")
        self.operations = begin + 8 * len(self.FIELDS)

    def word(self, address, size=8):
        return int.from_bytes(self.memory.read(address, size), "little")

    def text(self, address):
        text = b""
        while b"\0" not in text:  # not beyond the page, of which the next may not be there
            size = 4096 - (address + len(text)) % 4096
            text += self.memory.read(address + len(text), size)
        return text[: text.index(b"\0")].decode(errors="replace")

    def all(self):
        if self.word(self.os_thread) == 0:
            raise Problem("no execution is running")
        return [Thread(self, index) for index in range(self.word(self.count, 4))]

    def thread(self, argument):
        threads = self.all()
        if not argument.isdigit() or int(argument) >= len(threads):
            raise Problem(f"there is no thread {argument}; see: hocket threads")
        return threads[int(argument)]

    def where(self):
        """"step 5 of 9, thread 1: mutex.lock", or nothing if none has begun."""
        return self.text(self.step)

    def why(self):
        report = self.text(self.word(self.report))
        if not report:
            raise Problem("no replay is running, so nothing has failed yet")
        return report

    def waits(self):
        """What the report says of each thread that waits, where the replay has failed."""
        if not self.word(self.failed, 1):
            return {}
        return dict(re.findall(r"^    (.+?) (waits (?:for|in) .+)$", self.text(self.word(self.report)), re.MULTILINE))

    def stop_in(self, steps):
        """Lets the replay stop before the step that comes so many steps after the one that has begun."""
        if not self.text(self.word(self.report)):
            raise Problem("no replay is running")
        self.memory.write(self.stop_before, (self.word(self.steps_made) + steps).to_bytes(8, "little"))


class Thread:
    """A logical thread."""

    def __init__(self, process, index):
        self.index = index
        self.at = process.word(process.threads + 8 * index)
        self.runs = self.at == process.word(process.current)
        self.state = process.word(self.at + process.state, 1)
        self.context = process.word(self.at + process.context)
        given = process.text(process.names + process.name_size * index)
        self.name = given or self.name_of(process, self.at)
        joins = process.word(self.at + process.joins)
        self.joins = self.name_of(process, joins) if joins else None
        operation = process.word(self.at + process.operation, 1)
        self.next = process.text(process.word(process.operations + 8 * operation))
        self.process = process
        # What it waits for and who holds that, with places.
        self.told = process.waits().get(self.name) if self.runs or self.state == STOPPED else None

    @classmethod
    def name_of(cls, process, at):
        creator = process.word(at + process.creator)
        if creator == 0:
            return "main"
        before = cls.name_of(process, creator)
        ordinal = process.word(at + process.ordinal, 4)
        return f"thread {ordinal}" if before == "main" else f"{before}.{ordinal}"

    def does(self):
        if self.runs:
            return self.told or "runs"
        if self.state != ENDED and self.joins:
            return f"waits in join for {self.joins} to end"
        if self.state == STOPPED:
            return self.told or f"is about to perform {self.next}"
        if self.state == ENDED:
            return "has ended"
        return "waits for a thread that it has started"

    def stands_still(self):
        return not self.runs and self.state != ENDED

    def registers(self):
        """Those with which it will go on, of which the others are not in use there."""
        words = [self.process.word(self.context + 8 * n) for n in range(3)]
        return {"rip": words[0], "rbx": words[1], "rbp": words[2], "rsp": self.context + 24 + RED_ZONE}


def without_return_type(function):
    """The name of a function as debuggers show it, which for a template begins with what it returns."""
    if function.startswith("operator "):
        return function
    name = re.sub(r"operator *(\(\)|\[\]|[-<>]+[=*]?) ?|decltype *\(auto\)", "operator", function)
    name = name.replace("(anonymous namespace)", "{anonymous}")
    depth = 0
    begin = 0
    for at, letter in enumerate(name):
        if letter == "(" and depth == 0:
            break
        depth += (letter in "<(") - (letter in ">)")
        if letter == " " and depth == 0:
            begin = at + 1
    return name[begin:].removeprefix("::")


def is_of_user(function, file):
    """Whether a frame is of the code under test."""
    if not function or not file:
        return False
    hidden = ("hocket::", "std::", "__gnu_cxx::", "testing::", "__", "pthread_", "operator new", "operator delete")
    return not without_return_type(function).startswith(hidden) and not file.startswith("/usr/")
