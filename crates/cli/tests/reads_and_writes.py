"""PyMongo against a running server: python reads_and_writes.py mongodb://127.0.0.1:PORT"""

import sys

from pymongo import InsertOne, MongoClient
from pymongo.errors import BulkWriteError, DuplicateKeyError, OperationFailure
from pymongo.write_concern import WriteConcern

client = MongoClient(sys.argv[1], serverSelectionTimeoutMS=20_000)
assert client.admin.command("ping")["ok"] == 1.0
assert client.server_info()["version"]

things = client.test.things
things.drop()
generated = things.insert_one({"name": "without an _id"}).inserted_id
assert things.find_one({"_id": generated})["name"] == "without an _id"
assert len(things.insert_many([{"_id": i, "value": i} for i in range(300)]).inserted_ids) == 300

try:
    things.insert_one({"_id": 7})
    raise AssertionError("a duplicate was accepted")
except DuplicateKeyError as error:
    assert error.code == 11000, error
try:
    things.bulk_write([InsertOne({"_id": 7}), InsertOne({"_id": 1000})], ordered=False)
    raise AssertionError("a duplicate was accepted")
except BulkWriteError as error:
    assert error.details["nInserted"] == 1, error.details

assert things.find_one({"_id": 7}) == {"_id": 7, "value": 7}
assert things.find_one({"_id": 7.0}) == {"_id": 7, "value": 7}, "numbers are equal by value"
assert things.find_one({"_id": "7"}) is None
result = things.update_one({"_id": 7}, {"$set": {"value": b"bytes", "more": [1, {"a": 2}]}})
assert (result.matched_count, result.modified_count) == (1, 1)
assert things.find_one({"_id": 7}) == {"_id": 7, "value": b"bytes", "more": [1, {"a": 2}]}

assert things.count_documents({}) == 302
assert things.count_documents({"_id": 7}) == 1
assert things.estimated_document_count() == 302
assert len(list(things.find())) == 302
assert things.delete_one({"_id": 7}).deleted_count == 1
assert things.delete_many({"_id": 7}).deleted_count == 0

# Fire and forget: no reply, and the connection stays in step.
unacknowledged = things.with_options(write_concern=WriteConcern(w=0))
for i in range(20):
    unacknowledged.insert_one({"_id": f"unacknowledged {i}"})
for i in range(20):
    while things.find_one({"_id": f"unacknowledged {i}"}) is None:
        pass

assert things.delete_many({}).deleted_count == 321
assert things.count_documents({}) == 0

try:
    client.admin.command("noSuchThing")
    raise AssertionError("an unknown command was accepted")
except OperationFailure as error:
    assert error.code == 59, error
assert client.admin.command("serverStatus")["cede"]["policy"] == "native"
client.close()
print("all well")
