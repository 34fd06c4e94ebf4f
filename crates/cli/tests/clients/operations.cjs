// Operations of the Node driver, each checked, against any MongoDB server: node operations.cjs mongodb://127.0.0.1:PORT
"use strict";

const assert = require("node:assert").strict;
const { MongoClient } = require("mongodb");

async function refused(code, operation) {
  await assert.rejects(operation, (error) => {
    assert.equal(error.code, code, String(error));
    return true;
  });
}

async function main(uri) {
  const client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 20_000 });
  const database = client.db("cede_operations_node");
  await database.dropDatabase();
  const things = database.collection("things");
  const ids = async (cursor) => (await cursor.toArray()).map((document) => document._id);

  const documents = Array.from({ length: 250 }, (_, i) => ({ _id: i, n: i % 5, in: { x: -i }, tags: [`t${i % 3}`, "all"] }));
  assert.equal((await things.insertMany(documents)).insertedCount, 250);
  assert.deepEqual(await things.findOne({ _id: 7 }), documents[7]);
  assert.equal(await things.findOne({ _id: 1000 }), null);
  assert.equal((await ids(things.find())).length, 250);
  assert.deepEqual(await ids(things.find({ n: 1 }).sort({ _id: -1 }).skip(1).limit(3)), [241, 236, 231]);
  assert.deepEqual(await ids(things.find({ _id: { $in: [3, 1, 999] } }).sort({ _id: 1 })), [1, 3]);
  assert.deepEqual(await ids(things.find({ "in.x": { $lt: -247 } }).sort({ _id: 1 })), [248, 249]);
  assert.equal(await things.countDocuments({ tags: "t1", n: { $gte: 3 } }), 33);
  assert.deepEqual(await things.findOne({ _id: 4 }, { projection: { "in.x": 1, _id: 0 } }), { in: { x: -4 } });
  assert.equal((await things.find().batchSize(10).limit(35).toArray()).length, 35);

  assert.equal(await things.createIndex({ n: 1 }), "n_1");
  assert.equal(await things.createIndex({ code: 1 }, { unique: true, sparse: true }), "code_1");
  assert.deepEqual((await things.indexes()).map((index) => index.name), ["_id_", "n_1", "code_1"]);
  assert.equal(await things.countDocuments({ n: { $gt: 2, $lte: 4 } }), 100);
  assert.equal((await things.updateOne({ _id: 1 }, { $set: { code: "a" } })).modifiedCount, 1);
  await refused(11000, things.updateOne({ _id: 2 }, { $set: { code: "a" } }));
  await refused(11000, things.insertOne({ _id: 1 }));

  const many = await things.updateMany({ n: 2 }, { $inc: { "in.x": 5 }, $push: { tags: "new" } });
  assert.deepEqual([many.matchedCount, many.modifiedCount], [50, 50]);
  const cart = await things.updateOne({ _id: "cart" }, { $push: { items: { sku: 1 } }, $inc: { total: 2.5 } }, { upsert: true });
  assert.equal(cart.upsertedId, "cart");
  assert.deepEqual(await things.findOne({ _id: "cart" }), { _id: "cart", items: [{ sku: 1 }], total: 2.5 });
  assert.equal((await things.replaceOne({ _id: "cart" }, { whole: true })).modifiedCount, 1);
  assert.equal((await things.updateOne({ _id: 7 }, { $unset: { tags: 1 } })).modifiedCount, 1);

  const before = await things.findOneAndUpdate({ n: 3 }, { $set: { n: 33 } }, { sort: { _id: -1 } });
  assert.deepEqual([before._id, before.n], [248, 3]);
  const after = await things.findOneAndUpdate({ _id: 248 }, { $inc: { n: 1 } }, { returnDocument: "after" });
  assert.equal(after.n, 34);
  assert.equal((await things.findOneAndDelete({ n: 34 }))._id, 248);
  const bulk = await things.bulkWrite([
    { insertOne: { document: { _id: 300, n: 9 } } },
    { updateOne: { filter: { _id: 300 }, update: { $inc: { n: 1 } } } },
    { deleteOne: { filter: { _id: 0 } } },
  ]);
  assert.deepEqual([bulk.insertedCount, bulk.modifiedCount, bulk.deletedCount], [1, 1, 1]);

  assert.deepEqual(await things.distinct("n", { _id: { $lt: 20 } }), [0, 1, 2, 3, 4]);
  const groups = await things
    .aggregate([
      { $match: { n: { $lte: 1 } } },
      { $group: { _id: "$n", count: { $sum: 1 }, least: { $min: "$_id" } } },
      { $sort: { _id: 1 } },
    ])
    .toArray();
  assert.deepEqual(groups, [{ _id: 0, count: 49, least: 5 }, { _id: 1, count: 50, least: 1 }]);

  const cursor = things.find().batchSize(5);
  assert.ok(await cursor.next());
  await cursor.close();
  assert.equal((await things.deleteMany({ n: { $in: [0, 1] } })).deletedCount, 99);
  assert.deepEqual((await database.listCollections().toArray()).map((collection) => collection.name), ["things"]);
  await database.createCollection("more");
  await things.dropIndex("n_1");
  assert.equal(await things.drop(), true);
  assert.equal(await things.estimatedDocumentCount(), 0);
  await refused(59, client.db("admin").command({ noSuchThing: 1 }));
  await database.dropDatabase();
  const { databases } = await client.db("admin").admin().listDatabases();
  assert.ok(!databases.some((database) => database.name === "cede_operations_node"));
  await client.close();
  console.log("all well");
}

main(process.argv[2]).catch((error) => {
  console.error(error);
  process.exit(1);
});
