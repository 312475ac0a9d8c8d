// Reads every table of a model with hyparquet: it has the columns that docs/format/model.md names, and the values that the export to
// NumPy wrote.
//
//   node hyparquet.mjs MODEL ARRAYS DOCUMENT

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { columnsOf, readTable } from './model.mjs'

const [model, arrays, document] = process.argv.slice(2)
const manifest = JSON.parse(readFileSync(join(model, 'manifest.json')))

// documented returns the columns that the document gives for a table, by the name of its file.
function documented() {
  const tables = new Map()
  let current
  for (const line of readFileSync(document, 'utf8').split('\n')) {
    const heading = line.match(/^#+ (.*)/)
    if (heading) {
      current = heading[1].match(/^([a-z_]+\.parquet)$/)?.[1]
      if (current) tables.set(current, [])
    }
    const row = line.match(/^\| (\w+(?:, \w+)*) \| (?:string|int|float|list)/)
    if (current && row) tables.get(current).push(...row[1].split(', '))
  }
  return tables
}

// readArray returns the shape and the values of a .npy file.
function readArray(name) {
  const data = readFileSync(join(arrays, name))
  const length = data.readUInt16LE(8)
  const header = data.subarray(10, 10 + length).toString()
  const types = { '<f4': Float32Array, '<f8': Float64Array, '<i8': BigInt64Array }
  const type = types[header.match(/'descr': '([^']*)'/)[1]]
  const shape = header.match(/'shape': \(([^)]*)\)/)[1].split(',').filter((word) => word.trim()).map(Number)
  return { shape, values: new type(data.buffer.slice(data.byteOffset + 10 + length, data.byteOffset + data.length)) }
}

const tables = documented()
let read = 0
for (const output of manifest.outputs.filter((file) => file.name.endsWith('.parquet'))) {
  const { names, rows } = await columnsOf(join(model, output.name))
  const table = await readTable(join(model, output.name))
  assert.equal(table.length, rows, output.name)
  for (const row of table) {
    for (const name of names) assert.ok(row[name] !== null && row[name] !== undefined, `${output.name} has a null in ${name}`)
  }
  const unnamed = output.name === 'folded.parquet' && !manifest.fold.names // then it has no names
  const promised = tables.get(output.name)?.filter((column) => column !== 'name' || !unnamed)
  if (promised) {
    assert.ok(promised.length > 0, `the document names no column of ${output.name}`)
    assert.deepEqual([...names].sort(), [...promised].sort(), `the columns of ${output.name}`)
  }
  read++
}
assert.ok(read >= 8, `only ${read} tables were read`)

const items = await readTable(join(model, 'items.parquet'))
const n = items.length
const k = manifest.sketch.topics
assert.deepEqual(JSON.parse(readFileSync(join(arrays, 'items.json'))), items.map((row) => row.item_id))
for (const [name, column] of [['df.npy', 'df'], ['tf.npy', 'tf'], ['probability.npy', 'probability']]) {
  const { shape, values } = readArray(name)
  assert.deepEqual(shape, [n])
  items.forEach((row, i) => assert.equal(values[i], row[column], `${name}, item ${i}`))
}
const loadings = await readTable(join(model, 'topic_items.parquet'))
for (const [name, rows] of [['mixtures.npy', items.map((row) => row.mixture)], ['topic_items.npy', loadings.map((row) => row.loadings)]]) {
  const { shape, values } = readArray(name)
  assert.deepEqual(shape, [n, k])
  rows.forEach((row, i) => row.forEach((value, j) => assert.equal(values[i * k + j], value, `${name}, item ${i}, topic ${j}`)))
}
const correlations = await readTable(join(model, 'correlations.parquet'))
const joint = readArray('correlations.npy')
assert.deepEqual(joint.shape, [k, k])
correlations.forEach((row) => assert.equal(joint.values[row.topic_a * k + row.topic_b], row.probability))
const anchors = await readTable(join(model, 'anchors.parquet'))
const shares = readArray('shares.npy')
anchors.forEach((row) => assert.equal(shares.values[row.topic], row.share))

console.log(`hyparquet: ${read} tables, ${n} items, and the arrays of the export`)
