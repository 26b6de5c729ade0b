"""Runs machine code of a GPU (SASS of compute capability 9.0, as nvdisasm prints it) for one block of threads, and counts warp
instructions. It is not a model of time. Only instructions that generated kernels of 32-bit elements need are known; others raise
Unsupported.

Lanes of a warp that diverge run by the lowest address first, so that they meet again where branches join. A barrier holds a warp until
all warps are there."""

import re
import struct

from sass_listing import LANES, Warp, parse

MASK = 0xFFFFFFFF
PARAMETERS, SHARED = 0x210, 0x400  # where the argument of a kernel is in the bank of constants, and shared memory among addresses
NOTHING = {"BSSY", "BSYNC", "BREAK", "NOP", "WARPSYNC", "YIELD", "ACQBULK", "PREEXIT", "NANOSLEEP", "MEMBAR", "ERRBAR", "CCTL", "CGAERRBAR",
           "DEPBAR", "BRA.DIV"}
BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}


class Unsupported(Exception):
    """An instruction that is not known here."""


def signed(x):
    return x - (1 << 32) if x >> 31 else x


def signed64(x):
    return x - (1 << 64) if x >> 63 else x


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits_of(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def half(text):
    return struct.unpack("<H", struct.pack("<e", float(text)))[0]


class Block:
    """A block of `threads` threads with this index, over an argument."""

    def __init__(self, listing, memory, argument, index, threads=256):
        self.code, self.labels = parse(listing)
        self.memory, self.index = memory, index
        self.constants = bytes(PARAMETERS) + argument
        self.shared = bytearray(48 << 10)
        self.warps = [Warp(w) for w in range(threads // LANES)]
        self.executed = {}  # by name: warp instructions
        self.addresses = {}  # by address: warp instructions
        self.barriers = 0

    def run(self):
        while any(any(w.alive) for w in self.warps):
            for warp in self.warps:
                while any(warp.alive) and not warp.waits:
                    self.step(warp)
            self.barriers += 1 if any(any(w.alive) for w in self.warps) else 0
            for warp in self.warps:
                warp.waits = False

    # --- Operands ---

    def predicate(self, warp, text, lane):
        value = text.lstrip("!")
        is_set = True if value in ("PT", "UPT") else warp.predicates.get(value, [False] * LANES)[lane]
        return is_set != text.startswith("!")

    def register(self, warp, name, lane):
        return 0 if name in ("RZ", "URZ", "SRZ") else warp.registers.get(name, [0] * LANES)[lane]

    def set(self, warp, name, lane, value):
        if name not in ("RZ", "URZ"):
            warp.registers.setdefault(name, [0] * LANES)[lane] = value & MASK

    def set_predicate(self, warp, name, lane, value):
        if name not in ("PT", "UPT"):
            warp.predicates.setdefault(name, [False] * LANES)[lane] = bool(value)

    @staticmethod
    def following(name, k):
        """The k-th register behind one."""
        if name in ("RZ", "URZ", "SRZ"):
            return name
        found = re.match(r"(U?R)(\d+)", name)
        return f"{found[1]}{int(found[2]) + k}"

    def constant(self, warp, text, lane, k):
        found = re.match(r"c\[0x0\]\[(?:(U?R\d+)\+)?(0x[0-9a-f]+)\]", text)
        offset = int(found[2], 16) + (self.register(warp, found[1], lane) if found[1] else 0) + 4 * k
        return int.from_bytes(self.constants[offset:offset + 4].ljust(4, b"\0"), "little")

    def raw(self, warp, text, lane, k=0, is_float=False):
        """(negative, inverted, 32 bits) of an operand, or of the k-th word of one."""
        negative, inverted = text.startswith("-"), text.startswith("~")
        text = text.lstrip("-~").strip("|")
        if text.startswith("c["):
            return negative, inverted, self.constant(warp, text, lane, k)
        if re.match(r"U?R(\d+|Z)$|SRZ$", text):
            return negative, inverted, self.register(warp, self.following(text, k), lane)
        if is_float:
            return negative, inverted, 0x7F800000 if text == "+INF" or text == "INF" else bits_of(float(text))
        value = int(text, 16) if text.startswith("0x") else int(text)
        value = -value if negative else value
        return False, inverted, (value >> 32 * k) & MASK

    def value(self, warp, text, lane, k=0):
        negative, inverted, bits = self.raw(warp, text, lane, k)
        return (~bits if inverted else -bits if negative else bits) & MASK

    def wide(self, warp, text, lane):
        negative, _, low = self.raw(warp, text, lane)
        value = low | (self.raw(warp, text, lane, 1)[2] << 32)
        return (-value if negative else value) & ((1 << 64) - 1)

    def real(self, warp, text, lane):
        negative, _, bits = self.raw(warp, text, lane, 0, True)
        value = abs(float_of(bits)) if "|" in text else float_of(bits)
        return -value if negative else value

    # --- Steps ---

    def step(self, warp):
        pc = min(p for p, alive in zip(warp.pcs, warp.alive) if alive)
        if pc not in self.code:
            raise Unsupported(f"no instruction at {pc:#x}")
        i = self.code[pc]
        here = [lane for lane in range(LANES) if warp.alive[lane] and warp.pcs[lane] == pc]
        self.executed[".".join(i.words)] = self.executed.get(".".join(i.words), 0) + 1
        self.addresses[pc] = self.addresses.get(pc, 0) + 1
        active = [lane for lane in here if i.guard is None or self.predicate(warp, i.guard, lane)]
        for lane in here:
            warp.pcs[lane] = pc + 16
        if not active or i.name in NOTHING or ".".join(i.words) in NOTHING:
            return
        self.execute(warp, i, active, pc)

    def execute(self, warp, i, lanes, pc):
        handler = getattr(self, "do_" + i.name.lower(), None)
        if handler is None:
            raise Unsupported(i.text)
        handler(warp, i, lanes, pc)

    def target(self, text):
        return self.labels[re.search(r"`\((.*?)\)", text)[1]]

    def do_bra(self, warp, i, lanes, pc):
        for lane in lanes:
            if all(self.predicate(warp, o, lane) for o in i.operands[:-1]):
                warp.pcs[lane] = self.target(i.operands[-1])

    def do_call(self, warp, i, lanes, pc):
        for lane in lanes:
            warp.pcs[lane] = self.target(i.operands[0])

    def do_ret(self, warp, i, lanes, pc):
        for lane in lanes:
            warp.pcs[lane] = self.register(warp, i.operands[0].split()[0], lane)

    def do_exit(self, warp, i, lanes, pc):
        for lane in lanes:
            warp.alive[lane] = False

    def do_bar(self, warp, i, lanes, pc):
        if len(lanes) < sum(warp.alive):
            raise Unsupported("a barrier that not all lanes of a warp reach together")
        warp.waits = True

    # --- Integers ---

    def each(self, warp, i, lanes, f):
        for lane in lanes:
            self.set(warp, i.operands[0], lane, f(*[self.value(warp, o, lane) for o in i.operands[1:]]))

    def do_mov(self, warp, i, lanes, pc):
        self.each(warp, i, lanes, lambda x: x)

    def do_viadd(self, warp, i, lanes, pc):
        self.each(warp, i, lanes, lambda a, b: a + b)

    def do_popc(self, warp, i, lanes, pc):
        self.each(warp, i, lanes, lambda a: a.bit_count())

    def do_flo(self, warp, i, lanes, pc):
        is_shift = "SH" in i.words
        self.each(warp, i, lanes, lambda a: MASK if a == 0 else 32 - a.bit_length() if is_shift else a.bit_length() - 1)

    def do_brev(self, warp, i, lanes, pc):
        self.each(warp, i, lanes, lambda a: int(f"{a:032b}"[::-1], 2))

    def do_imnmx(self, warp, i, lanes, pc):
        read = (lambda x: x) if "U32" in i.words else signed
        for lane in lanes:
            a, b = (read(self.value(warp, o, lane)) for o in i.operands[1:3])
            self.set(warp, i.operands[0], lane, min(a, b) if self.predicate(warp, i.operands[3], lane) else max(a, b))

    do_vimnmx = do_imnmx

    def do_sel(self, warp, i, lanes, pc):
        for lane in lanes:
            chosen = i.operands[1] if self.predicate(warp, i.operands[3], lane) else i.operands[2]
            self.set(warp, i.operands[0], lane, self.value(warp, chosen, lane))

    def split(self, i):
        """Destination, predicates behind it, operands, and predicates behind these."""
        is_predicate = lambda o: re.match(r"!?U?P[0-9T]$", o) is not None
        rest = i.operands[1:]
        outs = []
        while rest and is_predicate(rest[0]):
            outs.append(rest.pop(0))
        ins = []
        while rest and is_predicate(rest[-1]):
            ins.insert(0, rest.pop())
        return i.operands[0], outs, rest, ins

    def addend(self, warp, text, lane):
        """An operand of a sum with a carry: a negative one is its complement and one."""
        negative, inverted, bits = self.raw(warp, text, lane)
        return (1 << 32) - bits if negative else MASK - bits if inverted else bits

    def do_iadd3(self, warp, i, lanes, pc):
        to, outs, operands, ins = self.split(i)
        for lane in lanes:
            total = sum(self.addend(warp, o, lane) for o in operands)
            if "X" in i.words:
                total += sum(self.predicate(warp, p, lane) for p in ins)
            for k, out in enumerate(outs):
                self.set_predicate(warp, out, lane, total >> 32 > k)
            self.set(warp, to, lane, total)

    def do_imad(self, warp, i, lanes, pc):
        to, outs, (a, b, c), ins = self.split(i)
        is_signed = "U32" not in i.words
        for lane in lanes:
            x, y = self.value(warp, a, lane), self.value(warp, b, lane)
            if "WIDE" in i.words or "HI" in i.words:
                product = signed(x) * signed(y) if is_signed else x * y
                total = product % (1 << 64) + self.wide(warp, c, lane) + (self.predicate(warp, ins[0], lane) if ins else 0)
                for out in outs:
                    self.set_predicate(warp, out, lane, total >> 64)
                if "HI" in i.words:
                    self.set(warp, to, lane, total >> 32)
                else:
                    self.set(warp, to, lane, total)
                    self.set(warp, self.following(to, 1), lane, total >> 32)
                continue
            total = x * y % (1 << 32) + self.addend(warp, c, lane)
            if "X" in i.words:
                total += sum(self.predicate(warp, p, lane) for p in ins)
            for out in outs:
                self.set_predicate(warp, out, lane, total >> 32)
            self.set(warp, to, lane, total)

    def do_lea(self, warp, i, lanes, pc):
        to, outs, operands, ins = self.split(i)
        shift = int(operands[-1], 16)
        for lane in lanes:
            a, carry = self.value(warp, operands[0].lstrip("-"), lane), sum(self.predicate(warp, p, lane) for p in ins)
            if "HI" in i.words:
                high = (signed(a) >> 32) & MASK if "SX32" in i.words else self.value(warp, operands[2], lane)
                shifted = ((high << 32 | a) << shift) >> 32 & MASK
            else:
                shifted = a << shift & MASK
            if operands[0].startswith("-"):
                shifted = (~shifted & MASK) + (0 if "X" in i.words else 1)
            total = shifted + self.addend(warp, operands[1], lane) + carry
            for out in outs:
                self.set_predicate(warp, out, lane, total >> 32)
            self.set(warp, to, lane, total)

    def do_shf(self, warp, i, lanes, pc):
        is_wide, is_high = "U64" in i.words or "S64" in i.words, "HI" in i.words
        for lane in lanes:
            low, shift, high = (self.value(warp, o, lane) for o in i.operands[1:4])
            shift = shift % 32 if "W" in i.words else shift
            pair = high << 32 | low
            if "L" in i.words:
                shifted = pair << min(shift, 63) if is_wide else low << min(shift, 32)
            elif is_wide:
                shifted = (signed64(pair) if "S64" in i.words else pair) >> min(shift, 63)
            else:
                shifted = ((signed(high) if "S32" in i.words else high) << 32 | low) >> min(shift, 32 + 31 * is_high)
            self.set(warp, i.operands[0], lane, shifted >> 32 if is_high else shifted)

    @staticmethod
    def looked_up(table, a, b, c):
        result = 0
        for k in range(8):
            if table >> k & 1:
                result |= (a if k & 4 else ~a) & (b if k & 2 else ~b) & (c if k & 1 else ~c)
        return result & MASK

    def do_lop3(self, warp, i, lanes, pc):
        operands = list(i.operands)
        out = operands.pop(0) if re.match(r"U?P\d", operands[0]) else None
        for lane in lanes:
            values = [self.value(warp, o, lane) for o in operands[1:4]]
            result = self.looked_up(int(operands[4], 16), *values)
            self.set(warp, operands[0], lane, result)
            if out:
                self.set_predicate(warp, out, lane, result != 0 or self.predicate(warp, operands[5], lane))

    def do_plop3(self, warp, i, lanes, pc):
        for lane in lanes:
            values = [MASK if self.predicate(warp, o, lane) else 0 for o in i.operands[2:5]]
            for out, table in zip(i.operands[:2], i.operands[5:7]):
                self.set_predicate(warp, out, lane, self.looked_up(int(table, 16), *values))

    def do_prmt(self, warp, i, lanes, pc):
        for lane in lanes:
            a, table, b = (self.value(warp, o, lane) for o in i.operands[1:4])
            every = (b << 32 | a).to_bytes(8, "little")
            self.set(warp, i.operands[0], lane, int.from_bytes(bytes(every[table >> 4 * k & 7] for k in range(4)), "little"))

    # --- Comparisons ---

    COMPARE = {"LT": lambda a, b: a < b, "LE": lambda a, b: a <= b, "GT": lambda a, b: a > b, "GE": lambda a, b: a >= b,
               "EQ": lambda a, b: a == b, "NE": lambda a, b: a != b}

    def combined(self, warp, i, lane, result):
        other = self.predicate(warp, i.operands[4], lane)
        both = result and other if "AND" in i.words else result or other if "OR" in i.words else result != other
        self.set_predicate(warp, i.operands[0], lane, both)
        self.set_predicate(warp, i.operands[1], lane, False if i.operands[1] in ("PT", "UPT") else (not result) and other)

    def do_isetp(self, warp, i, lanes, pc):
        name, read = i.words[1], (lambda x: x) if "U32" in i.words else signed
        for lane in lanes:
            a, b = (read(self.value(warp, o, lane)) for o in i.operands[2:4])
            result = self.COMPARE[name](a, b)
            if "EX" in i.words:
                low = self.predicate(warp, i.operands[5], lane)
                result = result or low if name == "NE" else (a == b and low) or (name != "EQ" and a != b and result)
            self.combined(warp, i, lane, result)

    def do_fsetp(self, warp, i, lanes, pc):
        for lane in lanes:
            a, b = (self.real(warp, o, lane) for o in i.operands[2:4])
            self.combined(warp, i, lane, self.COMPARE[i.words[1]](a, b))

    def do_p2r(self, warp, i, lanes, pc):
        for lane in lanes:
            bits = sum(self.predicate(warp, f"P{k}", lane) << k for k in range(7))
            self.set(warp, i.operands[0], lane, bits & int(i.operands[3], 16))

    def do_r2p(self, warp, i, lanes, pc):
        for lane in lanes:
            bits, mask = self.value(warp, i.operands[1], lane), int(i.operands[2], 16)
            for k in range(7):
                if mask >> k & 1:
                    self.set_predicate(warp, f"P{k}", lane, bits >> k & 1)

    # --- Floats ---

    def real_each(self, warp, i, lanes, f):
        for lane in lanes:
            self.set(warp, i.operands[0], lane, bits_of(f(*[self.real(warp, o, lane) for o in i.operands[1:]])))

    def do_fadd(self, warp, i, lanes, pc):
        self.real_each(warp, i, lanes, lambda a, b: a + b)

    def do_fmul(self, warp, i, lanes, pc):
        self.real_each(warp, i, lanes, lambda a, b: a * b)

    def do_fsel(self, warp, i, lanes, pc):
        for lane in lanes:
            chosen = i.operands[1] if self.predicate(warp, i.operands[3], lane) else i.operands[2]
            self.set(warp, i.operands[0], lane, bits_of(self.real(warp, chosen, lane)))

    def do_mufu(self, warp, i, lanes, pc):
        if i.words[1] != "RCP":
            raise Unsupported(i.text)
        self.real_each(warp, i, lanes, lambda a: 1 / a if a else float("inf"))

    def do_i2f(self, warp, i, lanes, pc):
        for lane in lanes:
            self.set(warp, i.operands[0], lane, bits_of(float(self.value(warp, i.operands[1], lane))))

    def do_f2i(self, warp, i, lanes, pc):
        for lane in lanes:
            self.set(warp, i.operands[0], lane, min(int(self.real(warp, i.operands[1], lane)), MASK))

    def do_hfma2(self, warp, i, lanes, pc):
        if "RZ" not in i.operands[1] or "RZ" not in i.operands[2]:
            raise Unsupported(i.text)
        for lane in lanes:
            self.set(warp, i.operands[0], lane, half(i.operands[3]) << 16 | half(i.operands[4]))

    # --- Lanes ---

    def do_s2r(self, warp, i, lanes, pc):
        for lane in lanes:
            known = {"SR_TID.X": warp.number * LANES + lane, "SR_CTAID.X": self.index, "SR_CgaCtaId": 0, "SR_LANEID": lane,
                     "SR_SWINHI": 0}
            self.set(warp, i.operands[0], lane, known[i.operands[1]])

    do_s2ur = do_s2r

    def do_cs2r(self, warp, i, lanes, pc):
        for lane in lanes:
            for k in range(1 if "32" in i.words else 2):
                self.set(warp, self.following(i.operands[0], k), lane, 0)

    def do_r2ur(self, warp, i, lanes, pc):
        for lane in range(LANES):
            self.set(warp, i.operands[0], lane, self.value(warp, i.operands[1], lanes[0]))

    def do_shfl(self, warp, i, lanes, pc):
        _, to, source, by, _ = i.operands
        before = {lane: self.value(warp, source, lane) for lane in lanes}
        for lane in lanes:
            d = self.value(warp, by, lane)
            other = {"UP": lane - d, "DOWN": lane + d, "IDX": d % LANES, "BFLY": lane ^ d}[i.words[1]]
            self.set(warp, to, lane, before.get(other, before[lane]) if 0 <= other < LANES else before[lane])

    def do_vote(self, warp, i, lanes, pc):
        source = i.operands[-1]
        bits = sum(self.predicate(warp, source, lane) << lane for lane in lanes)
        result = bits != 0 if "ANY" in i.words else all(self.predicate(warp, source, lane) for lane in lanes)
        for lane in lanes:
            for to in i.operands[:-1]:
                if to.startswith(("P", "UP")):
                    self.set_predicate(warp, to, lane, result)
                else:
                    self.set(warp, to, lane, bits)

    do_voteu = do_vote

    # --- Memory ---

    def do_ldc(self, warp, i, lanes, pc):
        for lane in lanes:
            for k in range(2 if "64" in i.words else 1):
                self.set(warp, self.following(i.operands[0], k), lane, self.constant(warp, i.operands[1], lane, k))

    def address(self, warp, text, lane):
        total = 0
        for part in re.search(r"\[([^\[]*)\]$", text)[1].split("+"):
            if part.startswith(("0x", "-0x")):
                total += int(part, 16)
            elif part.endswith(".64"):
                total += self.wide(warp, part[:-3], lane)
            else:
                total += self.value(warp, part.replace(".X4", ""), lane) * (4 if ".X4" in part else 1)
        return total

    def width(self, i):
        return next((BYTES[w] for w in i.words if w in BYTES), 4)

    def load(self, warp, i, lanes, read):
        for lane in lanes:
            data = read(self.address(warp, i.operands[1], lane), self.width(i))
            for k in range(0, max(len(data), 4), 4):
                self.set(warp, self.following(i.operands[0], k // 4), lane,
                         int.from_bytes(data[k:k + 4], "little", signed="S8" in i.words or "S16" in i.words))

    def store(self, warp, i, lanes, write):
        for lane in lanes:
            width = self.width(i)
            words = [self.value(warp, self.following(i.operands[1], k), lane) for k in range((width + 3) // 4)]
            write(self.address(warp, i.operands[0], lane), b"".join(w.to_bytes(4, "little") for w in words)[:width])

    def do_ldg(self, warp, i, lanes, pc):
        self.load(warp, i, lanes, self.memory.load)

    def do_ld(self, warp, i, lanes, pc):
        self.load(warp, i, lanes, lambda at, count: self.read_shared(at, count) if at < 1 << 32 else self.memory.load(at, count))

    def do_st(self, warp, i, lanes, pc):
        self.store(warp, i, lanes, lambda at, data: self.write_shared(at, data) if at < 1 << 32 else self.memory.store(at, data))

    def do_stg(self, warp, i, lanes, pc):
        self.store(warp, i, lanes, self.memory.store)

    def read_shared(self, at, count):
        return bytes(self.shared[at - SHARED:at - SHARED + count])

    def write_shared(self, at, data):
        self.shared[at - SHARED:at - SHARED + len(data)] = data

    def do_lds(self, warp, i, lanes, pc):
        self.load(warp, i, lanes, self.read_shared)

    def do_sts(self, warp, i, lanes, pc):
        self.store(warp, i, lanes, self.write_shared)

    def do_atomg(self, warp, i, lanes, pc):
        if "ADD" not in i.words:
            raise Unsupported(i.text)
        for lane in lanes:
            at = self.address(warp, i.operands[2], lane)
            before = int.from_bytes(self.memory.load(at, 4), "little")
            self.memory.store(at, ((before + self.value(warp, i.operands[3], lane)) & MASK).to_bytes(4, "little"))
            self.set(warp, i.operands[1], lane, before)
