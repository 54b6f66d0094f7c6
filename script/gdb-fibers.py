"""Lists the fibers of a dray process or core, with what each one waits for and where. Needs debug information.

  gdb -p PID   (or: gdb PROGRAM CORE)
  (gdb) source script/gdb-fibers.py
  (gdb) fibers            one line a fiber
  (gdb) fibers bt         and the stack of each
  (gdb) fibers bt NAME    only of those whose name begins so

Nothing in the process is changed: the stack of a parked fiber is shown by an unwinder that pretends that the newest
frame of the selected thread was called from it. x86-64 and Boost.Context's fcontext only.
"""

import gdb
from gdb.unwinder import Unwinder, register_unwinder

# Where jump_fcontext leaves the registers, from the saved stack pointer up. Boost 1.78 and later keep a word more.
REGISTERS = ("r12", "r13", "r14", "r15", "rbx", "rbp", "rip")
OFFSETS = (0x08, 0x10)
STATES = ("free", "ready", "running", "parked")


def word_at(address):
    return int(gdb.Value(address).cast(gdb.lookup_type("unsigned long").pointer()).dereference())


class ParkedFiber(Unwinder):
    """Shows `registers` as the caller of the newest frame while they are set."""

    def __init__(self):
        super().__init__("dray-fibers")
        self.registers = None

    def __call__(self, pending):
        if self.registers is None or pending.level() != 0:
            return None
        stack_type = pending.read_register("rsp").type

        class Id:
            # Stacks grow down, and gdb insists that a frame lies below its caller.
            sp = gdb.Value(self.registers["rsp"] - 64).cast(stack_type)
            pc = pending.read_register("rip")

        info = pending.create_unwind_info(Id())
        for name, value in self.registers.items():
            # The value needs the register's own type (code pointer, data pointer or long).
            info.add_saved_register(name, gdb.Value(value).cast(pending.read_register(name).type))
        return info


UNWINDER = ParkedFiber()
register_unwinder(None, UNWINDER, replace=True)


def saved_registers(context):
    """The registers of a fiber that waits, or None for one that has not started."""
    for first in OFFSETS:
        values = {name: word_at(context + first + 8 * i) for i, name in enumerate(REGISTERS)}
        block = gdb.block_for_pc(values["rip"])
        while block is not None and block.function is None:
            block = block.superblock
        if block is not None and "dray::fiber::" in block.function.print_name:
            values["rsp"] = context + first + 8 * len(REGISTERS)
            return values
    return None


def elements(deque):
    """A libstdc++ deque from begin to end, by its own bookkeeping."""
    start, finish = deque["_M_impl"]["_M_start"], deque["_M_impl"]["_M_finish"]
    at, last, node = start["_M_cur"], start["_M_last"], start["_M_node"]
    while at != finish["_M_cur"]:
        yield at.dereference()
        at += 1
        if at == last:
            node += 1
            at = node.dereference()
            last = at + (finish["_M_last"] - finish["_M_first"])


def loops():
    """The loops that run, by the threads they run on."""
    before = gdb.selected_thread()
    for thread in sorted(gdb.selected_inferior().threads(), key=lambda thread: thread.num):
        thread.switch()
        try:
            loop = gdb.parse_and_eval("'dray::fiber::(anonymous namespace)::current_loop'")
        except gdb.error:
            continue
        if int(loop) != 0:
            # A unique_ptr is its pointer; going through its members is ambiguous.
            pointer = gdb.lookup_type("dray::fiber::LoopState").pointer()
            yield thread, loop["state_"].address.cast(pointer.pointer()).dereference().dereference()
    if before is not None:
        before.switch()


def text(value):
    return value["_M_dataplus"]["_M_p"].string(length=int(value["_M_string_length"]))


class Fibers(gdb.Command):
    """fibers [bt [NAME]]: the fibers of every loop; with bt their stacks too."""

    def __init__(self):
        super().__init__("fibers", gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        for thread, state in loops():
            print(f"{text(state['options']['name'])} (thread {thread.num}), {int(state['live'])} fibers")
            for fiber in elements(state["fibers"]):
                self.show(fiber, words)

    def show(self, fiber, words):
        state, name = STATES[int(fiber["state"])], text(fiber["name"])
        if state == "free" or not name.startswith(words[1] if len(words) > 1 else ""):
            return
        waits_for = f" for {fiber['waits_for'].string()}" if state == "parked" else ""
        deadline = ", has a deadline" if int(fiber["index"]) != 2**64 - 1 else ""
        cancelled = ", cancelled" if bool(fiber["cancelled"]) else ""
        print(f"  {name}: {state}{waits_for}{deadline}{cancelled}")
        if words[:1] != ["bt"] or state == "running":
            return
        registers = saved_registers(int(fiber["context"]["context"]))
        if registers is None:
            print("    has not started")
            return
        UNWINDER.registers = registers
        gdb.invalidate_cached_frames()
        try:
            stack = gdb.execute("backtrace", to_string=True)
        finally:
            UNWINDER.registers = None
            gdb.invalidate_cached_frames()
        for line in stack.splitlines()[1:]:  # without the frame that it pretends from
            print("    " + line)


Fibers()
