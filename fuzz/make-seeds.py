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



def find_by(filter):
    return msg({"find": "usertable", "filter": filter} | on)


def change(query, update, **more):
    return msg({"update": "usertable", "updates": [{"q": query, "u": update} | more]} | on)


def index(field, **more):
    return msg({"createIndexes": "usertable", "indexes": [{"key": {field: 1}, "name": f"{field}_1"} | more]} | on)


def aggregate(*pipeline):
    return msg({"aggregate": "usertable", "pipeline": list(pipeline), "cursor": {"batchSize": 1}} | on)


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
    "filters": inserted + find_by({"field0": {"$ne": 1}, "$or": [{"n": {"$exists": False}}, {"a.0.b": {"$in": [1, "x"]}}]})
    + find_by({"$nor": [{"l": {"$elemMatch": {"$gt": 1, "$not": {"$size": 2}}}}, {"l": {"$all": [1]}}], "x": {"$nin": [None]}}),
    "sorted": inserted + msg({"find": "usertable", "sort": {"field0": -1, "_id": 1}, "skip": 1, "limit": 1, "projection": {"a.b": 0}} | on),
    "projection": inserted + msg({"find": "usertable", "projection": {"field0": 1, "_id": 0}, "batchSize": 1} | on),
    "cursor": inserted + msg({"find": "usertable", "batchSize": 0} | on)
    + msg({"getMore": 1, "collection": "usertable", "batchSize": 1} | on) + msg({"killCursors": "usertable", "cursors": [1]} | on),
    "operators": inserted + change({}, {"$set": {"a.b": 1, "l.2": 2}, "$inc": {"n": 1.5}, "$push": {"p": {"$each": [1, 2], "$slice": -1}}}, multi=True)
    + change({}, {"$unset": {"a.b": 1}, "$min": {"n": 1}, "$mul": {"m": 2}, "$addToSet": {"p": 1}, "$pull": {"l": {"$gt": 1}}}, multi=True),
    "upsert": change({"a.b": 1, "$and": [{"c": {"$eq": 2}}]}, {"$setOnInsert": {"d": 1}, "$max": {"n": 1}}, upsert=True) + change({"c": 2}, {"whole": 1}),
    "find-and-modify": inserted + msg({"findAndModify": "usertable", "query": {"n": None}, "sort": {"_id": -1}, "update": {"$inc": {"n": 1}}, "new": True, "fields": {"n": 1}} | on)
    + msg({"findAndModify": "usertable", "query": {}, "remove": True} | on),
    "delete-matching": inserted + msg({"delete": "usertable", "deletes": [{"q": {"field0": {"$gte": "a"}}, "limit": 0}]} | on),
    "indexes": index("field0", unique=True) + inserted + index("a.b", sparse=True) + find_by({"field0": {"$gt": "a", "$lte": "z"}})
    + change({"field0": "y" * 10}, {"$set": {"field0": [1, 2], "a": [{"b": 1}]}}) + find_by({"a.b": {"$in": [1, None]}})
    + msg({"listIndexes": "usertable"} | on) + msg({"dropIndexes": "usertable", "index": "*"} | on),
    "pipeline": inserted + aggregate({"$match": {"_id": {"$gt": 1}}}, {"$group": {"_id": "$field0", "n": {"$sum": "$n"}, "m": {"$avg": "$n"}, "c": {"$count": {}}, "f": {"$first": "$_id"}}}, {"$sort": {"n": -1}})
    + aggregate({"$skip": 1}, {"$limit": 1}, {"$project": {"_id": 0, "x": "$field0", "y": {"z": "$a.b", "w": {"$literal": 1}}}}, {"$count": "n"}),
    "distinct": inserted + msg({"distinct": "usertable", "key": "field0", "query": {}} | on),
    "collections": msg({"create": "usertable"} | on) + msg({"listCollections": 1, "filter": {"name": "usertable"}, "nameOnly": True} | on)
    + msg({"listDatabases": 1} | on) + msg({"collStats": "usertable"} | on) + msg({"dbStats": 1} | on) + msg({"dropDatabase": 1} | on),
    "parameters": msg({"setParameter": 1, "policy": "auto"} | on) + msg({"getParameter": "*"} | on) + msg({"setParameter": 1, "placement": "both", "guard": "active"} | on),
    "start": msg({"connectionStatus": 1} | on) + msg({"getLog": "*"} | on) + msg({"hostInfo": 1} | on) + msg({"whatsmyuri": 1} | on)
    + msg({"aggregate": 1, "pipeline": [{"$currentOp": {}}], "cursor": {}} | on),
    "unknown": msg({"mapReduce": "usertable"} | on) + msg({}),
    "no-reply": msg(insert | {"documents": [record]}, flags=2) + msg(find),
}

for target, seeds in {"wire_message": wire_message, "command": command}.items():
    for name, content in seeds.items():
        (SEEDS / target / name).write_bytes(content)
