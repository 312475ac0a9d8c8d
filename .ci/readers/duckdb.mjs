// Opens a model with DuckDB, and runs the queries of docs/format/model.md on it. hyparquet, another reader, must give the same answers.
//
//   node duckdb.mjs FOLDER DOCUMENT     FOLDER has the model wiki-model and its tables as CSV, wiki-csv

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { readTable } from './model.mjs'

const [folder, document] = process.argv.slice(2).map((path) => resolve(path))
process.chdir(folder)
const connection = await (await DuckDBInstance.create(':memory:')).connect()

// query returns the rows of a query as arrays of plain values.
async function query(sql) {
  const reader = await connection.runAndReadAll(sql)
  return reader.getRowsJson()
}

// number returns a 64-bit integer, which JSON has as a string, as a number.
const number = (value) => Number(value)

// near checks that two numbers are equal up to rounding to single precision.
function near(got, want, what) {
  assert.ok(Math.abs(got - want) <= 1e-6 * Math.abs(want) + 1e-12, `${what}: ${got}, want ${want}`)
}

const text = readFileSync(document, 'utf8')
const queries = [...text.matchAll(/```sql\n([^]*?)```/g)].map((match) => match[1])
assert.equal(queries.length, 3, 'the document has other queries than this program knows')

// What goes with an item, in the model wiki-pairs.
const ids = await readTable('wiki-pairs/items.parquet')
const companions = await readTable('wiki-pairs/neighbours.parquet')
const army = ids.findIndex((row) => row.item_id === 'army')
const beside = companions.filter((row) => row.index === army).sort((a, b) => a.rank - b.rank)
const neighbours = await query(queries.shift().replaceAll('shop-model', 'wiki-pairs').replace("'coffee'", "'army'"))
assert.ok(neighbours.length > 0 && neighbours.length === beside.length, `${neighbours.length} neighbours`)
neighbours.forEach(([id, count, share], rank) => {
  assert.equal(id, ids[beside[rank].neighbour].item_id)
  assert.equal(number(count), number(beside[rank].together), id)
  assert.ok(share > 0 && share <= 1, `${id}: ${share}`)
})

const topics = await readTable('wiki-model/topics.parquet')
const items = await readTable('wiki-model/items.parquet')

// The topics.
const lists = new Map()
for (const row of topics) {
  if (row.kind === 'prominent' && row.rank < 8) {
    lists.set(row.topic, [...(lists.get(row.topic) ?? []), row.item_id])
  }
}
const shown = await query(queries[0])
assert.equal(shown.length, 20)
for (const [topic, names] of shown) {
  assert.equal(names, lists.get(topic).join(' '), `topic ${topic}`)
}

// The items of topic 9.
const best = items.filter((row) => row.df >= 20n).sort((a, b) => b.mixture[9] - a.mixture[9])
const belonging = await query(queries[1])
assert.equal(belonging.length, 10)
belonging.forEach(([id, df, share], rank) => {
  const row = items.find((item) => item.item_id === id)
  near(share, best[rank].mixture[9], `place ${rank} of topic 9`)
  near(share, row.mixture[9], id)
  assert.equal(BigInt(df), row.df, id)
})

// What the document promises of sums.
const [[n, probability, mixtures]] = await query(
  "SELECT count(*), sum(probability), max(abs(list_sum(mixture) - 1)) FROM 'wiki-model/items.parquet'")
near(probability, 1, 'the sum of p(item)')
assert.ok(mixtures < 1e-5, `a mixture is ${mixtures} from 1`)
const loadings = await query(`
  SELECT k, sum(loadings[k]) FROM 'wiki-model/topic_items.parquet', range(1, 21) AS t(k) GROUP BY k`)
assert.equal(loadings.length, 20)
loadings.forEach(([k, sum]) => assert.ok(Math.abs(sum - 1) < 1e-4, `topic ${k - 1}: the loadings sum to ${sum}`))
const [[shares]] = await query("SELECT sum(share) FROM 'wiki-model/anchors.parquet'")
near(shares, 1, 'the sum of p(topic)')

// The same tables as CSV.
const [[rows, differences]] = await query(`
  SELECT count(*), count(*) FILTER (c.index <> p.index OR c.df <> p.df OR c.tf <> p.tf OR c.probability <> p.probability
    OR c.reliability <> p.reliability OR c.top_topic <> p.top_topic)
  FROM read_csv('wiki-csv/items.csv', all_varchar = false, types = {'item_id': 'VARCHAR'}, nullstr = '\\N') c
  JOIN 'wiki-model/items.parquet' p ON c.item_id = p.item_id`)
assert.deepEqual([rows, number(differences)], [n, 0], 'items.csv')
const [[lines, off]] = await query(`
  SELECT count(*), max(abs(c.topic_9::FLOAT - p.mixture[10]))
  FROM read_csv('wiki-csv/mixtures.csv', types = {'item_id': 'VARCHAR'}, nullstr = '\\N') c JOIN 'wiki-model/items.parquet' p ON c.item_id = p.item_id`)
assert.deepEqual([lines, off], [n, 0], 'mixtures.csv')

console.log(`DuckDB: 3 queries of the document, ${n} items, 2 tables as CSV`)
