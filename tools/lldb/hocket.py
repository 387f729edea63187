"""Shows LLDB the logical threads of a Hocket test, which are fibers of one thread of the system.

    lldb -o 'command script import hocket.py' -- ./queue_test --hocket_replay=FILE --hocket_break

    hocket threads         the threads of the execution and what each is about to do
    hocket thread          selects the running thread where its own code is
    hocket backtrace [N]   where thread N is, or all that stand still
    hocket next [COUNT]    goes on to the next step of the replay, or the one that comes COUNT steps later
    hocket why             the report of the failure that is replayed

It calls nothing in the process and writes one word of it for "hocket next". To follow the stack of a thread that
stands still, it changes registers and puts them back. So LLDB cannot select such a thread.
"""
import os
import sys

import lldb

for folder in ("", "../gdb"):
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), folder))
from hocket_process import Problem, Process, is_of_user  # noqa: E402


class Memory:
    def __init__(self, process):
        self.process = process

    def read(self, address, size):
        error = lldb.SBError()
        data = self.process.ReadMemory(address, size, error)
        if error.Fail():
            raise Problem(f"the memory of the process cannot be read: {error.GetCString()}")
        return data

    def write(self, address, data):
        error = lldb.SBError()
        self.process.WriteMemory(address, data, error)
        if error.Fail():
            raise Problem(f"the memory of the process cannot be written: {error.GetCString()}")


def process_of(debugger):
    target = debugger.GetSelectedTarget()
    process = target.GetProcess()
    symbols = target.FindSymbols("hocket_for_debuggers")
    if symbols.GetSize() == 0:
        return Process(None, None)
    if process.GetState() != lldb.eStateStopped:
        raise Problem("no execution is running")
    begin = symbols[0].symbol.GetStartAddress().GetLoadAddress(target)
    return Process(Memory(process), begin)


def running(debugger, it):
    """LLDB's thread on which the execution runs."""
    here = it.word(it.os_thread)
    for thread in debugger.GetSelectedTarget().GetProcess():
        if thread.GetFrameAtIndex(0).FindRegister("fs_base").GetValueAsUnsigned() == here:
            return thread
    return debugger.GetSelectedTarget().GetProcess().GetSelectedThread()


class Frames:
    """The frames of a logical thread, as long as it exists."""

    def __init__(self, debugger, os_thread, thread):
        self.debugger = debugger
        self.os_thread = os_thread
        self.to_put_back = {}
        if thread.runs:
            return
        self.os_thread.GetProcess().SetSelectedThread(os_thread)
        self.selected = os_thread.GetSelectedFrame().GetFrameID()
        there = thread.registers()
        registers = os_thread.GetFrameAtIndex(0)
        self.to_put_back = {name: registers.FindRegister(name).GetValueAsUnsigned() for name in there}
        self.write(there)

    def write(self, registers):
        # Only the command makes LLDB forget the frames that it knows.
        for name, value in registers.items():
            here = lldb.SBExecutionContext(self.os_thread.GetFrameAtIndex(0))
            done = lldb.SBCommandReturnObject()
            self.debugger.GetCommandInterpreter().HandleCommand(f"register write {name} {value:#x}", here, done)
            if not done.Succeeded():
                raise Problem(f"the register {name} cannot be changed: {done.GetError()}")

    def __enter__(self):
        return list(self.os_thread)

    def __exit__(self, *_):
        if self.to_put_back:
            self.write(self.to_put_back)
            self.os_thread.SetSelectedFrame(self.selected)


def is_users(frame):
    """Whether the frame is of the code under test."""
    entry = frame.GetLineEntry()
    file = entry.GetFileSpec().fullpath if entry.IsValid() else None
    return is_of_user(frame.GetDisplayFunctionName(), file)


def place_of_user(frames):
    for frame in frames:
        if is_users(frame):
            entry = frame.GetLineEntry()
            return f" at {entry.GetFileSpec().basename}:{entry.GetLine()}"
    return ""


def show_frame_of_user(os_thread, result):
    os_thread.GetProcess().SetSelectedThread(os_thread)
    for frame in os_thread:
        if is_users(frame):
            os_thread.SetSelectedFrame(frame.GetFrameID())
            result.PutCString(str(frame))
            return
    result.PutCString(str(os_thread.GetFrameAtIndex(0)))


def threads(debugger, _argument, result):
    it = process_of(debugger)
    all_threads = it.all()
    where = it.where()
    if where:
        result.PutCString(f"The replay is at {where}.")
    os_thread = running(debugger, it)
    for thread in all_threads:
        place = ""
        if thread.stands_still() and not thread.told:
            with Frames(debugger, os_thread, thread) as frames:
                place = place_of_user(frames)
        result.PutCString(f"{'*' if thread.runs else ' '} {thread.index:<3} {thread.name:<16} {thread.does()}{place}")


def thread(debugger, argument, result):
    it = process_of(debugger)
    if argument and not it.thread(argument).runs:
        raise Problem(f"LLDB can select the running thread only; see: hocket backtrace {argument}")
    it.all()
    show_frame_of_user(running(debugger, it), result)


def backtrace(debugger, argument, result):
    it = process_of(debugger)
    os_thread = running(debugger, it)
    for logical in [it.thread(argument)] if argument else it.all():
        if not logical.stands_still() and not (argument and logical.runs):
            if argument:
                raise Problem(f"{logical.name} {logical.does()}")
            continue
        result.PutCString(f"\n{logical.index} {logical.name} {logical.does()}")
        with Frames(debugger, os_thread, logical) as frames:
            for frame in frames:
                result.PutCString(f"  {frame}")


def go_on(debugger, argument, result):
    if argument and (not argument.isdigit() or int(argument) == 0):
        raise Problem("hocket next takes a number of steps, as in: hocket next 3")
    it = process_of(debugger)
    it.stop_in(int(argument or 1))
    process = debugger.GetSelectedTarget().GetProcess()
    was_async = debugger.GetAsync()
    debugger.SetAsync(False)
    process.Continue()
    debugger.SetAsync(was_async)
    if process.GetState() != lldb.eStateStopped:
        result.PutCString(f"the process has ended with status {process.GetExitStatus()}")
        return
    result.PutCString(it.where())
    show_frame_of_user(running(debugger, it), result)


def why(debugger, _argument, result):
    result.PutCString(process_of(debugger).why().rstrip())


COMMANDS = {"threads": threads, "thread": thread, "backtrace": backtrace, "next": go_on, "why": why}


def hocket(debugger, command, result, _internal_dict):
    """The logical threads of a Hocket test, and the steps of its replay: hocket threads, hocket thread,
hocket backtrace [N], hocket next [COUNT], hocket why."""
    name, _, argument = command.strip().partition(" ")
    try:
        if name not in COMMANDS:
            raise Problem("the commands are: " + ", ".join("hocket " + one for one in COMMANDS))
        COMMANDS[name](debugger, argument.strip(), result)
    except Problem as problem:
        result.SetError(str(problem))


def __lldb_init_module(debugger, _internal_dict):
    debugger.HandleCommand(f"command script add -f {__name__}.hocket hocket")
