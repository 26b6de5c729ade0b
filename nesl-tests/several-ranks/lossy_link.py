#!/usr/bin/env python3
"""Joins two network namespaces by a link that delays all packets and loses some.

  lossy_link.py NAMESPACE ADDRESS NAMESPACE ADDRESS --delay MILLISECONDS --loss PERCENT

Each namespace gets a device `lossy` with its address, such as 10.99.0.1/24. Prints "ready" when both are up. After SIGTERM, which removes
them, prints the numbers of packets and of lost ones. The qdisc `netem` does the same inside of kernels that have it; TAP devices are in
nearly all. Chances come from a generator with a fixed seed."""

import argparse
import collections
import ctypes
import fcntl
import os
import random
import select
import signal
import struct
import subprocess
import sys
import time

# linux/if_tun.h, linux/sched.h
TUNSETIFF, IFF_TAP, IFF_NO_PI, CLONE_NEWNET = 0x400454CA, 0x0002, 0x1000, 0x40000000
LONGEST_FRAME = 65536
LIBC = ctypes.CDLL(None, use_errno=True)


def enter(namespace):
    """Moves this process to a network namespace."""
    path = f"/run/netns/{namespace}"
    with open(path, encoding="ascii") as file:
        if LIBC.setns(file.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), path)


def add_device(namespace, address):
    """Makes the device of a namespace: the file from which its frames are read and to which those for it are written."""
    enter(namespace)
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH22x", b"lossy", IFF_TAP | IFF_NO_PI))
    for command in (f"addr add {address} dev lossy", "link set lossy up", "link set lo up"):
        subprocess.run(["ip", *command.split()], check=True)
    return device


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ends", nargs=4, metavar="NAMESPACE ADDRESS")
    parser.add_argument("--delay", type=float, required=True)
    parser.add_argument("--loss", type=float, required=True)
    given = parser.parse_args()
    devices = [add_device(*given.ends[:2]), add_device(*given.ends[2:])]
    others = dict(zip(devices, reversed(devices)))
    chance = random.Random(1)
    waiting = collections.deque()  # (time, device, frame)
    frames = lost = 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    print("ready", flush=True)
    try:
        while True:
            now = time.monotonic()
            while waiting and waiting[0][0] <= now:
                _, device, frame = waiting.popleft()
                os.write(device, frame)
            timeout = max(0, waiting[0][0] - now) if waiting else None
            for device in select.select(devices, [], [], timeout)[0]:
                frame = os.read(device, LONGEST_FRAME)
                frames += 1
                if 100 * chance.random() < given.loss:
                    lost += 1
                else:
                    waiting.append((time.monotonic() + given.delay / 1000, others[device], frame))
    finally:
        print(f"{frames} packets, {lost} lost", flush=True)


if __name__ == "__main__":
    main()
