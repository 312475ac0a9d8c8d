// Reads tables of a model with hyparquet.

import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

// readTable returns the rows of a Parquet file as objects.
export async function readTable(path) {
  return parquetReadObjects({ file: await asyncBufferFromFile(path), compressors })
}

// columnsOf returns the names of a file's columns and its number of rows.
export async function columnsOf(path) {
  const metadata = await parquetMetadataAsync(await asyncBufferFromFile(path))
  const root = metadata.schema[0]
  const names = []
  for (let at = 1; names.length < root.num_children; at++) {
    names.push(metadata.schema[at].name)
    for (let left = metadata.schema[at].num_children ?? 0; left > 0; left--) {
      left += metadata.schema[++at].num_children ?? 0
    }
  }
  return { names, rows: Number(metadata.num_rows) }
}
