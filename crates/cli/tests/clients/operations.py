"""Operations of PyMongo, each checked, against any MongoDB server: python operations.py mongodb://127.0.0.1:PORT"""

import sys

from pymongo import ASCENDING, DESCENDING, DeleteOne, InsertOne, MongoClient, ReturnDocument, UpdateOne
from pymongo.errors import DuplicateKeyError, OperationFailure, WriteError

client = MongoClient(sys.argv[1], serverSelectionTimeoutMS=20_000)
client.drop_database("cede_operations")
database = client["cede_operations"]
things = database.things


def refused(code, operation):
    try:
        operation()
    except OperationFailure as error:
        assert error.code == code, error
        return error
    raise AssertionError(f"expected error {code}")


def ids(cursor):
    return [document["_id"] for document in cursor]


documents = [{"_id": i, "n": i % 5, "in": {"x": -i}, "tags": [f"t{i % 3}", "all"]} for i in range(250)]
assert len(things.insert_many(documents).inserted_ids) == 250
assert things.find_one({"_id": 7}) == documents[7]
assert things.find_one({"_id": 1000}) is None
assert sorted(ids(things.find())) == list(range(250)), "through cursors"
assert ids(things.find({"n": 1}).sort("_id", DESCENDING).skip(1).limit(3)) == [241, 236, 231]
assert ids(things.find({"in.x": {"$lt": -247}}).sort("_id")) == [248, 249]
assert ids(things.find({"_id": {"$in": [3, 1, 999]}}).sort("_id")) == [1, 3]
assert things.count_documents({"tags": "t1", "n": {"$gte": 3}}) == 33
assert ids(things.find({"$or": [{"_id": 1}, {"in": {"x": -2}}], "none": {"$exists": False}}).sort("_id")) == [1, 2]
assert things.find_one({"_id": 4}, {"in.x": 1, "_id": 0}) == {"in": {"x": -4}}
assert len(list(things.find(batch_size=10).limit(35))) == 35

assert things.create_index([("n", ASCENDING)]) == "n_1"
assert things.create_index("code", unique=True, sparse=True) == "code_1"
assert sorted(things.index_information()) == ["_id_", "code_1", "n_1"]
assert things.count_documents({"n": {"$gt": 2, "$lte": 4}}) == 100
things.update_one({"_id": 1}, {"$set": {"code": "a"}})
error = refused(11000, lambda: things.update_one({"_id": 2}, {"$set": {"code": "a"}}))
assert isinstance(error, DuplicateKeyError) and error.details["keyPattern"] == {"code": 1}, error.details

result = things.update_many({"n": 2}, {"$inc": {"in.x": 5}, "$push": {"tags": "new"}})
assert (result.matched_count, result.modified_count) == (50, 50)
assert things.find_one({"_id": 7})["tags"] == ["t1", "all", "new"]
things.update_one({"_id": 7}, {"$unset": {"tags": 1}})
assert "tags" not in things.find_one({"_id": 7})
result = things.update_one({"_id": "cart"}, {"$push": {"items": {"sku": 1}}, "$inc": {"total": 2.5}}, upsert=True)
assert result.upserted_id == "cart"
assert things.find_one({"_id": "cart"}) == {"_id": "cart", "items": [{"sku": 1}], "total": 2.5}
assert things.replace_one({"_id": "cart"}, {"whole": True}).modified_count == 1
assert isinstance(refused(66, lambda: things.update_one({"_id": 1}, {"$set": {"_id": 2}})), WriteError)

before = things.find_one_and_update({"n": 3}, {"$set": {"n": 33}}, sort=[("_id", -1)])
assert (before["_id"], before["n"]) == (248, 3)
after = things.find_one_and_update({"_id": 248}, {"$inc": {"n": 1}}, return_document=ReturnDocument.AFTER)
assert after["n"] == 34
assert things.find_one_and_delete({"n": 34})["_id"] == 248
assert things.find_one_and_delete({"n": 34}) is None

bulk = things.bulk_write([InsertOne({"_id": 300, "n": 9}), UpdateOne({"_id": 300}, {"$inc": {"n": 1}}), DeleteOne({"_id": 0})])
assert (bulk.inserted_count, bulk.modified_count, bulk.deleted_count) == (1, 1, 1)

assert things.distinct("n", {"_id": {"$lt": 20}}) == [0, 1, 2, 3, 4]
groups = things.aggregate([
    {"$match": {"n": {"$lte": 1}}},
    {"$group": {"_id": "$n", "count": {"$sum": 1}, "least": {"$min": "$_id"}, "mean": {"$avg": "$n"}}},
    {"$sort": {"_id": 1}},
    {"$project": {"count": 1, "least": 1, "mean": 1}},
])
assert list(groups) == [
    {"_id": 0, "count": 49, "least": 5, "mean": 0.0},
    {"_id": 1, "count": 50, "least": 1, "mean": 1.0},
]
assert list(things.aggregate([{"$skip": 10}, {"$limit": 150}, {"$count": "n"}])) == [{"n": 150}]

cursor = things.find(batch_size=5)
next(cursor)
cursor.close()
assert things.delete_many({"n": {"$in": [0, 1]}}).deleted_count == 99
assert database.list_collection_names() == ["things"]
database.create_collection("more")
refused(48, lambda: database.command("create", "more"))
things.drop_index("n_1")
assert "n_1" not in things.index_information()
assert "cede_operations" in client.list_database_names()
things.drop()
assert things.estimated_document_count() == 0
refused(59, lambda: client.admin.command("noSuchThing"))
refused(2, lambda: list(things.find({"n": {"$nothing": 1}})))
client.drop_database("cede_operations")
assert "cede_operations" not in client.list_database_names()
client.close()
print("all well")
