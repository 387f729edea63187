"""Shows gdb the logical threads of a Hocket test, which are fibers of one thread of the system.

    gdb -x hocket.py --args ./queue_test --hocket_replay=FILE --hocket_break

    hocket threads         the threads of the execution and what each is about to do
    hocket backtrace [N]   where thread N is, or all that stand still

It only looks at the memory of the process and calls nothing in it.
"""
import gdb
import gdb.unwinder

RED_ZONE = 0x80  # bytes that a fiber skips before it leaves; see fiber_switch.hpp
FRESH, RUNNING, STOPPED, ENDED = range(4)


def read(address, size=8):
    data = gdb.selected_inferior().read_memory(address, size)
    return int.from_bytes(bytes(data), "little")


def text_at(address):
    return gdb.Value(address).cast(gdb.lookup_type("char").pointer()).string()


class Process:
    """What the process has written down for debuggers (scheduler/process/debugger.cpp)."""

    FIELDS = "os_thread count threads current context ordinal creator state operation joins".split()

    def __init__(self):
        try:
            begin = int(gdb.parse_and_eval("(unsigned long)&hocket_for_gdb"))
            for number, field in enumerate(self.FIELDS):
                setattr(self, field, read(begin + 8 * number))
        except gdb.error as error:
            raise gdb.GdbError(f"this is not a Hocket test: {error}")
        self.operations = begin + 8 * len(self.FIELDS)
        if self.os_thread == 0 or read(self.os_thread) == 0:
            raise gdb.GdbError("no execution is running")

    def all(self):
        return [Thread(self, index) for index in range(read(self.count, 4))]


class Thread:
    def __init__(self, process, index):
        self.index = index
        self.at = read(process.threads + 8 * index)
        self.runs = self.at == read(process.current)
        self.state = read(self.at + process.state, 1)
        self.context = read(self.at + process.context)
        self.name = self.name_of(process, self.at)
        joins = read(self.at + process.joins)
        self.joins = self.name_of(process, joins) if joins else None
        operation = read(self.at + process.operation, 1)
        self.next = text_at(read(process.operations + 8 * operation))

    @classmethod
    def name_of(cls, process, at):
        creator = read(at + process.creator)
        if creator == 0:
            return "main"
        before = cls.name_of(process, creator)
        ordinal = read(at + process.ordinal, 4)
        return f"thread {ordinal}" if before == "main" else f"{before}.{ordinal}"

    def does(self):
        if self.runs:
            return "runs"
        if self.state != ENDED and self.joins:
            return f"waits in join for {self.joins} to end"
        if self.state == STOPPED:
            return f"is about to perform {self.next}"
        if self.state == ENDED:
            return "has ended"
        return "waits for a thread that it has started"

    def stands_still(self):
        return not self.runs and self.state != ENDED


class FrameOfFiber:
    """Identifies the frame that the unwinder replaces."""

    def __init__(self, sp, pc):
        self.sp = sp
        self.pc = pc


class FiberUnwinder(gdb.unwinder.Unwinder):
    """Lets the innermost frame be followed by those of a fiber that stands still."""

    def __init__(self, context):
        super().__init__("hocket fiber")
        self.context = context
        self.innermost = int(gdb.newest_frame().read_register("rsp"))

    def __call__(self, pending):
        if int(pending.read_register("rsp")) != self.innermost:
            return None
        words = [read(self.context + 8 * n) for n in range(3)]
        there = {"rip": words[0], "rbx": words[1], "rbp": words[2], "rsp": self.context + 24 + RED_ZONE}
        unsigned_long = gdb.lookup_type("unsigned long")
        # gdb stops at a frame whose stack lies below that of the frame before, as the fiber's may.
        rsp = pending.read_register("rsp")
        here = FrameOfFiber(gdb.Value(self.context).cast(unsigned_long).cast(rsp.type), pending.read_register("rip"))
        unwound = pending.create_unwind_info(here)
        for register, value in there.items():
            kind = pending.read_register(register).type
            unwound.add_saved_register(register, gdb.Value(value).cast(unsigned_long).cast(kind))
        return unwound


class Hocket(gdb.Command):
    """The logical threads of a Hocket test: hocket threads, hocket backtrace [N]."""

    def __init__(self):
        super().__init__("hocket", gdb.COMMAND_STACK, prefix=True)


class Threads(gdb.Command):
    """The logical threads of the running execution, and what each is about to do."""

    def __init__(self):
        super().__init__("hocket threads", gdb.COMMAND_STACK)

    def invoke(self, _argument, _from_tty):
        for thread in Process().all():
            mark = "*" if thread.runs else " "
            print(f"{mark} {thread.index:<3} {thread.name:<16} {thread.does()}")


class Backtrace(gdb.Command):
    """hocket backtrace [N]: where the logical thread N stands, or all but the one that runs."""

    def __init__(self):
        super().__init__("hocket backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        threads = Process().all()
        if argument:
            if not argument.isdigit() or int(argument) >= len(threads):
                raise gdb.GdbError(f"there is no thread {argument}; see: hocket threads")
            thread = threads[int(argument)]
            if not thread.stands_still():
                raise gdb.GdbError(f"{thread.name} {thread.does()}" + ("; see: backtrace" if thread.runs else ""))
            threads = [thread]
        for thread in threads:
            if thread.stands_still():
                self.show(thread)

    @staticmethod
    def show(thread):
        print(f"\n{thread.index} {thread.name} {thread.does()}")
        unwinder = FiberUnwinder(thread.context)
        gdb.unwinder.register_unwinder(None, unwinder, replace=True)
        try:
            lines = gdb.execute("backtrace", to_string=True).splitlines()
        finally:
            unwinder.enabled = False
            gdb.invalidate_cached_frames()
        print("\n".join(lines[1:]))  # the first frame is where gdb itself is


Hocket()
Threads()
Backtrace()
