"""Shows gdb the logical threads of a Hocket test, which are fibers of one thread of the system.

    gdb -x hocket.py --args ./queue_test --hocket_replay=FILE --hocket_break

    hocket threads         the threads of the execution and what each is about to do
    hocket backtrace [N]   where thread N is, or all that stand still
"""
import gdb

RED_ZONE = 0x80  # bytes that a fiber skips before it leaves


def call(function, result, *arguments):
    types = "unsigned" if arguments else "void"
    given = ", ".join(str(argument) for argument in arguments)
    return gdb.parse_and_eval(f"(({result} (*)({types})){function})({given})")


def count():
    try:
        return int(call("hocket_gdb_threads", "unsigned"))
    except gdb.error as error:
        raise gdb.GdbError(f"no Hocket test runs here: {error}")


def name(index):
    return call("hocket_gdb_name", "const char *", index).string()


class Threads(gdb.Command):
    """The logical threads of the running execution, and what each is about to do."""

    def __init__(self):
        super().__init__("hocket threads", gdb.COMMAND_STACK)

    def invoke(self, _argument, _from_tty):
        current = int(call("hocket_gdb_current", "unsigned"))
        for index in range(count()):
            mark = "*" if index == current else " "
            state = call("hocket_gdb_state", "const char *", index).string()
            print(f"{mark} {index:<3} {name(index):<24} {state}")


class Backtrace(gdb.Command):
    """hocket backtrace [N]: where the logical thread N stands, or all but the one that runs."""

    def __init__(self):
        super().__init__("hocket backtrace", gdb.COMMAND_STACK)

    def invoke(self, argument, _from_tty):
        indices = [int(argument)] if argument else range(count())
        for index in indices:
            if not 0 <= index < count():
                raise gdb.GdbError(f"there is no thread {index}; see: hocket threads")
            self.show(index)

    @staticmethod
    def show(index):
        context = int(call("hocket_gdb_context", "void *", index))
        if context == 0:
            if index == int(call("hocket_gdb_current", "unsigned")):
                print(f"\n{index} {name(index)} runs: backtrace")
            return
        print(f"\n{index} {name(index)}")
        word = gdb.lookup_type("unsigned long")
        left = [int(gdb.Value(context + 8 * n).cast(word.pointer()).dereference()) for n in range(3)]
        there = {"rip": left[0], "rbx": left[1], "rbp": left[2], "rsp": context + 24 + RED_ZONE}
        gdb.execute("frame 0", to_string=True)
        here = {register: int(gdb.parse_and_eval(f"(unsigned long)${register}")) for register in there}
        try:
            for register, value in there.items():
                gdb.execute(f"set ${register} = {value}", to_string=True)
            gdb.execute("backtrace")
        finally:
            for register, value in here.items():
                gdb.execute(f"set ${register} = {value}", to_string=True)


gdb.Command("hocket", gdb.COMMAND_STACK, prefix=True).__doc__ = __doc__
Threads()
Backtrace()
