"""Writes the seeds of the fuzz targets.

Run by hand when the wire protocol or the commands grow: target/pymongo/bin/python3 fuzz/make-seeds.py
"""

import pathlib
import struct

import bson

SEEDS = pathlib.Path(__file__).parent / "seeds"
OP_QUERY, OP_MSG = 2004, 2013


def message(op_code, body, length=None):
    length = 16 + len(body) if length is None else length
    return struct.pack("<iiii", length, 7, 0, op_code) + body


def sections(command, sequences):
    out = b"\0" + bson.encode(command)
    for name, documents in sequences.items():
        section = name.encode() + b"\0" + b"".join(map(bson.encode, documents))
        out += b"\1" + struct.pack("<i", 4 + len(section)) + section
    return out


def msg(command, sequences={}, flags=0):
    return message(OP_MSG, struct.pack("<I", flags) + sections(command, sequences))


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def with_checksum(command, sequences={}):
    body = struct.pack("<I", 1) + sections(command, sequences)
    covered = message(OP_MSG, body, length=16 + len(body) + 4)
    return covered + struct.pack("<I", crc32c(covered))


def query(command):
    return message(OP_QUERY, struct.pack("<i", 4) + b"admin.$cmd\0" + struct.pack("<ii", 0, -1) + bson.encode(command))


hello = {"hello": 1, "helloOk": True, "$db": "admin"}
find = {"find": "usertable", "filter": {"_id": "user1"}, "limit": 1, "singleBatch": True, "$db": "ycsb"}
update = {"update": "usertable", "ordered": True, "$db": "ycsb"}
updates = {"updates": [{"q": {"_id": "user1"}, "u": {"$set": {"field0": "x" * 20}}}]}
insert = {"insert": "usertable", "$db": "ycsb"}
record = {"_id": "user1"} | {f"field{n}": "y" * 10 for n in range(3)}

wire_message = {
    "kind-0": msg(hello),
    "kind-0-and-1": msg(update, updates),
    "two-sequences": msg(insert, {"documents": [record, record], "other": []}),
    "checksum": with_checksum(find),
    "checksum-and-sequence": with_checksum(update, updates),
    "more-to-come": msg(find, flags=2),
    "query-hello": query({"isMaster": 1, "helloOk": True}),
    "truncated": msg(find)[:-9],
    "length-too-large": message(OP_MSG, msg(find)[16:], length=48_000_001),
    "length-too-small": message(OP_MSG, msg(find)[16:], length=15),
    "three-in-a-row": query({"isMaster": 1}) + msg(hello) + with_checksum(find),
    # Longer than the space that a connection keeps for messages.
    "long": msg(insert, {"documents": [{"_id": "user1", "field0": "z" * 17_000}]}),
}

key = {"_id": "user1"}
on = {"$db": "ycsb"}
counting = [{"$match": {}}, {"$group": {"_id": 1, "n": {"$sum": 1}}}]
inserted = msg(insert, {"documents": [record, {"_id": 2}, {"no": "key"}]})

# Streams, so that later messages meet the documents of earlier ones.
command = {
    "handshake": query({"isMaster": 1}) + msg({"buildInfo": 1} | on) + msg({"ping": 1} | on),
    "status": msg({"serverStatus": 1} | on) + msg({"endSessions": []} | on),
    "insert-twice": inserted + msg(insert | {"ordered": False}, {"documents": [record, {"_id": 3.5}]}),
    "find-by-key": inserted + msg(find) + msg({"find": "usertable", "filter": {"_id": {"$eq": 2}}} | on),
    "find-all": inserted + msg({"find": "usertable", "limit": -2} | on),
    "update": inserted + msg(update, updates) + with_checksum(find),
    "update-in-body": inserted + msg(update | {"updates": [{"q": key, "u": {"$set": {"_id": 5}}}]}),
    "delete-one": inserted + msg({"delete": "usertable", "deletes": [{"q": key, "limit": 1}]} | on),
    "delete-any": inserted + msg({"delete": "usertable", "deletes": [{"q": {}, "limit": 1}]} | on),
    "delete-all": inserted + msg({"delete": "usertable", "deletes": [{"q": {}, "limit": 0}]} | on),
    "count": inserted + msg({"count": "usertable", "query": {}} | on),
    "aggregate": inserted + msg({"aggregate": "usertable", "pipeline": counting, "cursor": {}} | on),
    "drop": inserted + msg({"drop": "usertable"} | on) + msg(find),
    "unknown": msg({"mapReduce": "usertable"} | on) + msg({}),
    "no-reply": msg(insert | {"documents": [record]}, flags=2) + msg(find),
}

for target, seeds in {"wire_message": wire_message, "command": command}.items():
    for name, content in seeds.items():
        (SEEDS / target / name).write_bytes(content)
