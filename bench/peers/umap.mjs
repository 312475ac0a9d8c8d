// How many neighbours UMAP keeps of the vectors by which anchorage map draws: of an item's 15 nearest by cosine, how many
// are among its 15 nearest on UMAP's map, over 1,000 items.
//
//   npm install umap-js@1.4.0
//   anchorage export MODEL --to word2vec -o vectors.txt
//   node umap.mjs vectors.txt [EPOCHS]
import { readFileSync } from 'node:fs';
import { UMAP } from 'umap-js';

const [file, epochs] = process.argv.slice(2);
const rows = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1).map(line => {
  const row = line.split(' ').slice(1).map(Number);
  const length = Math.hypot(...row) || 1;
  return row.map(v => v / length);
});
const degree = 15;

// nearest returns the items of the greatest score, without item i.
const nearest = (i, score) => {
  const best = [];
  for (let j = 0; j < rows.length; j++) {
    if (j === i) continue;
    const s = score(j);
    if (best.length === degree && s <= best[degree - 1].s) continue;
    let at = best.length;
    while (at > 0 && best[at - 1].s < s) at--;
    best.splice(at, 0, { j, s });
    best.length = Math.min(best.length, degree);
  }
  return best.map(b => b.j);
};

let state = 1; // mulberry32
const random = () => {
  state = state + 0x6d2b79f5 | 0;
  let t = Math.imul(state ^ state >>> 15, 1 | state);
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t;
  return ((t ^ t >>> 14) >>> 0) / 2 ** 32;
};
const begun = performance.now();
const map = new UMAP({ nNeighbors: degree + 1, minDist: 0.1, random, nEpochs: epochs ? +epochs : undefined }).fit(rows);
const seconds = (performance.now() - begun) / 1000;
let kept = 0, all = 0;
for (let n = 0; n < Math.min(1000, rows.length); n++) {
  const i = rows.length <= 1000 ? n : Math.floor(random() * rows.length);
  const near = new Set(nearest(i, j => { let s = 0; for (let c = 0; c < rows[i].length; c++) s += rows[i][c] * rows[j][c]; return s; }));
  const drawn = nearest(i, j => -Math.hypot(map[j][0] - map[i][0], map[j][1] - map[i][1]));
  kept += drawn.filter(j => near.has(j)).length;
  all += near.size;
}
console.log(`UMAP (umap-js): ${rows.length} items, ${(kept / all).toFixed(3)} of the neighbours kept, ${seconds.toFixed(0)} s`);
