// Operations of mongosh, each checked, against any MongoDB server: mongosh mongodb://127.0.0.1:PORT --file operations.mongosh.js
"use strict";

const assert = require("node:assert").strict;

const own = db.getSiblingDB("cede_operations_shell");
own.dropDatabase();
const ids = (cursor) => cursor.toArray().map((document) => document._id);
// Values of the shell come from another realm, which the assertions on structures tell apart.
const same = (found, expected) => assert.equal(JSON.stringify(found), JSON.stringify(expected));
// Not assert.throws: the shell waits for its commands in functions of scripts alone.
function refused(code, operation) {
  let found = null;
  try {
    operation();
  } catch (error) {
    found = error.code;
  }
  assert.equal(found, code);
}

const documents = Array.from({ length: 120 }, (_, i) => ({ _id: i, n: i % 4, in: { x: -i }, tags: [`t${i % 3}`, "all"] }));
assert.equal(Object.keys(own.things.insertMany(documents).insertedIds).length, 120);
same(own.things.findOne({ _id: 7 }), documents[7]);
assert.equal(own.things.findOne({ _id: 1000 }), null);
assert.equal(own.things.find().toArray().length, 120);
same(ids(own.things.find({ n: 1 }).sort({ _id: -1 }).skip(1).limit(3)), [113, 109, 105]);
same(ids(own.things.find({ _id: { $in: [3, 1, 999] } }).sort({ _id: 1 })), [1, 3]);
assert.equal(own.things.countDocuments({ tags: "t1", n: { $gte: 2 } }), 20);
same(own.things.findOne({ _id: 4 }, { "in.x": 1, _id: 0 }), { in: { x: -4 } });
assert.equal(own.things.find().itcount(), 120);

assert.equal(own.things.createIndex({ n: 1 }), "n_1");
assert.equal(own.things.createIndex({ code: 1 }, { unique: true, sparse: true }), "code_1");
same(own.things.getIndexes().map((index) => index.name), ["_id_", "n_1", "code_1"]);
assert.equal(own.things.countDocuments({ n: { $gt: 1 } }), 60);
assert.equal(own.things.updateOne({ _id: 1 }, { $set: { code: "a" } }).modifiedCount, 1);
refused(11000, () => own.things.updateOne({ _id: 2 }, { $set: { code: "a" } }));
refused(11000, () => own.things.insertOne({ _id: 1 }));

const many = own.things.updateMany({ n: 2 }, { $inc: { "in.x": 5 }, $push: { tags: "new" } });
same([many.matchedCount, many.modifiedCount], [30, 30]);
assert.equal(own.things.updateOne({ _id: "cart" }, { $push: { items: 1 } }, { upsert: true }).upsertedCount, 1);
same(own.things.findOne({ _id: "cart" }), { _id: "cart", items: [1] });
assert.equal(own.things.replaceOne({ _id: "cart" }, { whole: true }).modifiedCount, 1);
assert.equal(own.things.updateOne({ _id: 7 }, { $unset: { tags: 1 } }).modifiedCount, 1);
assert.equal(own.things.findOneAndUpdate({ n: 3 }, { $set: { n: 33 } }, { sort: { _id: -1 } })._id, 119);
assert.equal(own.things.findAndModify({ query: { _id: 119 }, update: { $inc: { n: 1 } }, new: true }).n, 34);
assert.equal(own.things.findOneAndDelete({ n: 34 })._id, 119);

same(own.things.distinct("n", { _id: { $lt: 20 } }), [0, 1, 2, 3]);
const groups = own.things.aggregate([
  { $match: { n: { $lte: 1 } } },
  { $group: { _id: "$n", count: { $sum: 1 } } },
  { $sort: { _id: 1 } },
]);
same(groups.toArray(), [{ _id: 0, count: 30 }, { _id: 1, count: 30 }]);
assert.equal(own.things.deleteOne({ _id: 0 }).deletedCount, 1);
assert.equal(own.things.deleteMany({ n: 1 }).deletedCount, 30);
same(own.getCollectionNames(), ["things"]);
assert.equal(own.createCollection("more").ok, 1);
assert.equal(own.things.dropIndex("n_1").ok, 1);
assert.equal(Number(own.stats().collections), 2);
assert.ok(own.serverStatus().connections.current > 0);
assert.ok(db.getSiblingDB("admin").hostInfo().os);
refused(59, () => own.runCommand({ noSuchThing: 1 }));
assert.equal(own.things.drop(), true);
assert.equal(own.dropDatabase().ok, 1);
assert.ok(!db.getMongo().getDBNames().includes("cede_operations_shell"));
print("all well");
