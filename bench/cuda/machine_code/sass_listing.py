"""Machine code of a GPU as nvdisasm prints it (SASS of compute capability 9.0), and memory and warps for it to run on."""

import re

LANES = 32


class Instruction:
    """Of the uniform registers the same name as of others: sass_machine.py keeps them for all lanes."""

    def __init__(self, guard, words, operands, text):
        self.guard, self.words, self.operands, self.text = guard, words, operands, text
        self.name = words[0]
        if self.name[0] == "U" and self.name[1:] in ("IADD3", "ISETP", "SHF", "LOP3", "IMAD", "SEL", "MOV", "LEA", "LDC", "PLOP3", "ISETP"):
            self.name = self.name[1:]


def parse(listing):
    """(instructions by address, addresses of labels) of the output of nvdisasm -c."""
    code, labels, pending = {}, {}, []
    for line in listing.splitlines():
        line = line.strip()
        if found := re.match(r"(\S+):$", line):
            pending.append(found[1])
        elif found := re.match(r"/\*([0-9a-f]+)\*/\s+(?:@(!?U?P[0-9T]+)\s+)?(\S+?)(?:\s+(.*?))?\s*;$", line):
            address = int(found[1], 16)
            for label in pending:
                labels[label] = address
            pending = []
            operands = [o.strip().replace(".reuse", "") for o in (found[4] or "").split(",")] if found[4] else []
            code[address] = Instruction(found[2], found[3].split("."), operands, line)
    return code, labels


class Memory:
    """Global memory: regions of bytes, and regions whose content a function tells."""

    def __init__(self):
        self.regions = []
        self.next = 1 << 32

    def add(self, content):
        """The address of a new region, of a bytearray or of a function (offset, count) -> bytes."""
        address = self.next
        self.regions.append((address, content))
        self.next += 1 << 36
        return address

    def region(self, address):
        base, content = self.regions[(address - (1 << 32)) >> 36]
        return content, address - base

    def load(self, address, count):
        content, offset = self.region(address)
        if callable(content):
            return content(offset, count)
        if offset + count > len(content):
            raise IndexError(f"load behind the end of a region: {offset}")
        return bytes(content[offset:offset + count])

    def store(self, address, data):
        content, offset = self.region(address)
        if callable(content) or offset + len(data) > len(content):
            raise IndexError(f"store outside of a region: {offset}")
        content[offset:offset + len(data)] = data


class Warp:
    """The state of a warp: addresses of its lanes, registers and predicates by name, each a list by lane."""

    def __init__(self, number):
        self.pcs = [0] * LANES
        self.alive = [True] * LANES
        self.waits = False
        self.registers, self.predicates = {}, {}
        self.number = number
