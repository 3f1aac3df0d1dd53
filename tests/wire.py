"""What GT's processes say to each other, written by hand: for peers that keep to no rule."""

import struct
import subprocess
import sys
import time
from pathlib import Path

import zmq
from cluster import PATIENCE, plain_environment

# What every message begins with: magic, version, kind, nothing, payloads.
HEADER = struct.Struct("<4sHHHHI")
VERSION = (8, 0)
ASIDE, INQUIRE, REPORT, ENDED, HELLO, WELCOME = b"\xff" * 8, 18, 19, 10, 1, 11


def dealer(cluster):
    peer = zmq.Context.instance().socket(zmq.DEALER)
    peer.setsockopt(zmq.LINGER, 0)
    peer.setsockopt(zmq.RCVTIMEO, 10_000)
    peer.connect(f"ipc://{cluster.environment['GT_RUNTIME_DIR']}/gt/{cluster.port}.ipc")
    return peer


def varint(number):
    """Write a number as postcard does."""
    more = number >> 7
    return bytes([number]) if not more else bytes([number & 127 | 128]) + varint(more)


def key_dealer(cluster, name):
    """Connect by TCP with a key of this name, which is made; wait until the server knows it."""
    gt_keys = [sys.executable, "-m", "gt", "keys", "new", name]
    env = plain_environment(**cluster.environment)
    path = subprocess.run(gt_keys, env=env, capture_output=True, text=True, check=True).stdout
    words = dict(line.split(" ", 1) for line in Path(path.strip()).read_text().splitlines()[1:])
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        peer = zmq.Context.instance().socket(zmq.DEALER)
        peer.setsockopt(zmq.LINGER, 0)
        peer.setsockopt(zmq.RCVTIMEO, 1_000)
        peer.curve_serverkey, peer.curve_publickey, peer.curve_secretkey = (
            words[word].encode() for word in ("server", "public", "secret")
        )
        peer.connect(cluster.address)
        peer.send_multipart([ASIDE, HEADER.pack(b"GTmx", *VERSION, INQUIRE, 0, 0)])
        try:
            peer.recv_multipart()
            return peer
        except zmq.Again:
            peer.close()
    raise AssertionError(f"the server does not know {name}")


def say_hello(peer, resume=b"\0"):
    """Say hello; give the kind of the answer, and what it says."""
    anything, unlimited, as_is, unchecked = b"\0", b"\0", b"\0", b"\0"
    hello = varint(3) + b"bob" + anything + unlimited + as_is + unchecked + resume
    peer.send_multipart([ASIDE, HEADER.pack(b"GTmx", *VERSION, HELLO, 0, 0) + hello])
    _, head = peer.recv_multipart()
    return HEADER.unpack(head[: HEADER.size])[3], head[HEADER.size :]
