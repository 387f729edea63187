"""Shows gdb the logical threads of a Hocket test, which are fibers of one thread of the system.

    gdb -x hocket.py --args ./queue_test --hocket_replay=FILE --hocket_break

    hocket threads         the threads of the execution and what each is about to do
    hocket thread [N]      selects thread N until the process goes on; or the running one, where its own code is
    hocket backtrace [N]   where thread N is, or all that stand still
    hocket next [COUNT]    goes on to the next step of the replay, or the one that comes COUNT steps later
    hocket why             the report of the failure that is replayed

It reads the memory of the process, writes one word for "hocket next", and calls nothing in it.
"""
import os
import sys

import gdb
import gdb.unwinder

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from hocket_process import Problem, Process, is_of_user  # noqa: E402


class Memory:
    @staticmethod
    def read(address, size):
        return bytes(gdb.selected_inferior().read_memory(address, size))

    @staticmethod
    def write(address, data):
        gdb.selected_inferior().write_memory(address, data)


def process():
    try:
        begin = int(gdb.parse_and_eval("(unsigned long)&hocket_for_debuggers"))
    except gdb.error:
        begin = None
    try:
        return Process(Memory, begin)
    except gdb.error:  # the program has not been started
        raise Problem("no execution is running")


class FrameOfFiber:
    """Identifies the frame that the unwinder replaces."""

    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


class FiberUnwinder(gdb.unwinder.Unwinder):
    """Lets the innermost frame be followed by those of a fiber that stands still."""

    def __init__(self, thread):
        super().__init__("hocket fiber")
        self.context = thread.context
        self.there = thread.registers()
        self.innermost = int(gdb.newest_frame().read_register("rsp"))

    def __call__(self, pending):
        if int(pending.read_register("rsp")) != self.innermost:
            return None
        unsigned_long = gdb.lookup_type("unsigned long")
        # gdb stops at a frame whose stack lies below that of the frame before, as the fiber's may.
        rsp = pending.read_register("rsp")
        here = FrameOfFiber(gdb.Value(self.context).cast(unsigned_long).cast(rsp.type), pending.read_register("rip"))
        unwound = pending.create_unwind_info(here)
        for register, value in self.there.items():
            kind = pending.read_register(register).type
            unwound.add_saved_register(register, gdb.Value(value).cast(unsigned_long).cast(kind))
        return unwound


class Selection:
    """The thread whose frames gdb shows in place of the running one's."""

    unwinder = None

    @classmethod
    def set(cls, thread):
        cls.reset()
        cls.unwinder = FiberUnwinder(thread)
        gdb.unwinder.register_unwinder(None, cls.unwinder, replace=True)
        gdb.invalidate_cached_frames()

    @classmethod
    def reset(cls, _event=None):
        if cls.unwinder is not None:
            cls.unwinder.enabled = False
            cls.unwinder = None
            gdb.invalidate_cached_frames()


class Other:
    """Selects a thread for a while."""

    def __init__(self, thread):
        self.thread = thread

    def __enter__(self):
        self.before = Selection.unwinder
        Selection.set(self.thread)

    def __exit__(self, *_):
        Selection.reset()
        if self.before is not None:
            self.before.enabled = True
            Selection.unwinder = self.before
            gdb.unwinder.register_unwinder(None, self.before, replace=True)
            gdb.invalidate_cached_frames()


def frame_of_user():
    """The innermost frame of the code under test, or None."""
    frame = gdb.newest_frame()
    while frame is not None:
        function = frame.function()
        if function is not None and is_of_user(frame.name(), function.symtab.fullname()):
            return frame
        try:
            frame = frame.older()
        except gdb.error:
            return None
    return None


def place_of_user():
    frame = frame_of_user()
    if frame is None:
        return ""
    sal = frame.find_sal()
    if sal.symtab is None or not is_of_user(frame.name(), sal.symtab.fullname()):
        return f" in {frame.name()}"  # the line is one of a function that was expanded here
    return f" at {os.path.basename(sal.symtab.filename)}:{sal.line}"


def show_frame_of_user():
    frame = frame_of_user()
    if frame is not None:
        frame.select()
    gdb.execute("frame")


class Command(gdb.Command):
    NAME = ""

    def __init__(self):
        super().__init__("hocket" + self.NAME, gdb.COMMAND_STACK, prefix=self.NAME == "")

    def invoke(self, argument, _from_tty):
        try:
            self.carry_out(argument.strip())
        except Problem as problem:
            raise gdb.GdbError(str(problem))


class Hocket(Command):
    """The logical threads of a Hocket test, and the steps of its replay: help hocket lists the commands."""

    def carry_out(self, argument):
        if argument:
            raise Problem(f"there is no hocket {argument}; see: help hocket")
        gdb.execute("help hocket")


class Threads(Command):
    """The logical threads of the running execution, and what each is about to do."""

    NAME = " threads"

    def carry_out(self, _argument):
        it = process()
        threads = it.all()
        where = it.where()
        if where:
            print(f"The replay is at {where}.")
        for thread in threads:
            place = ""
            if thread.stands_still() and not thread.told:
                with Other(thread):
                    place = place_of_user()
            print(f"{'*' if thread.runs else ' '} {thread.index:<3} {thread.name:<16} {thread.does()}{place}")


class SelectThread(Command):
    """hocket thread [N]: selects logical thread N until the process goes on; or the running one, where its own code is.
Frame 0 is still where gdb itself is. The frames of the thread follow."""

    NAME = " thread"

    def carry_out(self, argument):
        it = process()
        if not argument:
            Selection.reset()
            return show_frame_of_user()
        thread = it.thread(argument)
        if thread.runs:
            Selection.reset()
        elif thread.stands_still():
            Selection.set(thread)
        else:
            raise Problem(f"{thread.name} {thread.does()}")
        print(f"{thread.index} {thread.name} {thread.does()}")
        show_frame_of_user()


class Backtrace(Command):
    """hocket backtrace [N]: where the logical thread N stands, or all but the one that runs."""

    NAME = " backtrace"

    def carry_out(self, argument):
        it = process()
        threads = [it.thread(argument)] if argument else it.all()
        for thread in threads:
            if thread.stands_still():
                self.show(thread)
            elif argument:
                raise Problem(f"{thread.name} {thread.does()}" + ("; see: backtrace" if thread.runs else ""))

    @staticmethod
    def show(thread):
        print(f"\n{thread.index} {thread.name} {thread.does()}")
        with Other(thread):
            lines = gdb.execute("backtrace", to_string=True).splitlines()
        print("\n".join(lines[1:]))  # the first frame is where gdb itself is


class Next(Command):
    """hocket next [COUNT]: goes on to the next step of the replay, or to the one that comes COUNT steps later."""

    NAME = " next"

    def carry_out(self, argument):
        if argument and (not argument.isdigit() or int(argument) == 0):
            raise Problem("hocket next takes a number of steps, as in: hocket next 3")
        process().stop_in(int(argument or 1))
        gdb.execute("continue")
        if gdb.selected_inferior().pid != 0 and gdb.selected_thread() is not None:
            show_frame_of_user()


class Why(Command):
    """The report of the failure that is replayed: what went wrong, and the steps that led to it."""

    NAME = " why"

    def carry_out(self, _argument):
        print(process().why().rstrip())


for command in (Hocket, Threads, SelectThread, Backtrace, Next, Why):
    command()
gdb.events.cont.connect(Selection.reset)
