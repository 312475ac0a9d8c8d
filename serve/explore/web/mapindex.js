// Keeps the places of the items of the map, and finds them: the one at a point, those in a window or a lasso.

/** Bytes of an item in a piece of the map; see map.go. */
const itemBytes = 17;

export class Places {
  /** @param {number} most the number of items that will come */
  constructor(most) {
    this.count = 0;
    this.x = new Float32Array(most);
    this.y = new Float32Array(most);
    this.item = new Uint32Array(most);
    this.topic = new Uint16Array(most);
    this.share = new Uint8Array(most);
    this.sure = new Uint8Array(most);
    this.bits = new Uint8Array(most);
    this.rankOf = new Int32Array(0); // of the number of an item
    this.side = 0;
  }

  /** Takes a piece as the server sends it, and returns how many items it has. @param {ArrayBuffer} bytes */
  add(bytes) {
    const n = bytes.byteLength / itemBytes, at = this.count;
    this.x.set(new Float32Array(bytes, 0, n), at);
    this.y.set(new Float32Array(bytes, 4 * n, n), at);
    this.item.set(new Uint32Array(bytes, 8 * n, n), at);
    this.topic.set(new Uint16Array(bytes, 12 * n, n), at);
    this.share.set(new Uint8Array(bytes, 14 * n, n), at);
    this.sure.set(new Uint8Array(bytes, 15 * n, n), at);
    this.bits.set(new Uint8Array(bytes, 16 * n, n), at);
    this.count += n;
    return n;
  }

  /** Sorts the items into the cells of a grid; within a cell those of most evidence come first. */
  sort() {
    const { count, x, y } = this, side = this.side = Math.max(8, Math.min(512, Math.round(Math.sqrt(count / 6))));
    this.starts = new Uint32Array(side * side + 1);
    this.sorted = new Uint32Array(count);
    for (let i = 0; i < count; i++) this.starts[this.cell(x[i], y[i]) + 1]++;
    for (let c = 0; c < side * side; c++) this.starts[c + 1] += this.starts[c];
    const next = this.starts.slice();
    let most = 0;
    for (let i = 0; i < count; i++) {
      this.sorted[next[this.cell(x[i], y[i])]++] = i;
      if (this.item[i] > most) most = this.item[i];
    }
    this.rankOf = new Int32Array(most + 1).fill(-1);
    for (let i = 0; i < count; i++) this.rankOf[this.item[i]] = i;
  }
  along(v) { return Math.max(0, Math.min(this.side - 1, Math.floor((v + 1) / 2 * this.side))); }
  cell(x, y) { return this.along(y) * this.side + this.along(x); }

  /** Calls fn with the first and the last place in `sorted` of each cell that a box touches. */
  cells(left, bottom, right, top, fn) {
    for (let row = this.along(bottom); row <= this.along(top); row++) {
      for (let c = row * this.side + this.along(left), end = row * this.side + this.along(right); c <= end; c++) fn(this.starts[c], this.starts[c + 1]);
    }
  }

  /** Returns the item at a point: of those very close the one of most evidence, otherwise the nearest; −1 if none is within the radius. */
  nearest(x, y, radius) {
    let best = -1, least = radius * radius, evident = -1;
    this.cells(x - radius, y - radius, x + radius, y + radius, (from, to) => {
      for (let s = from; s < to; s++) {
        const i = this.sorted[s], d = (this.x[i] - x) ** 2 + (this.y[i] - y) ** 2;
        if (d < least) { least = d; best = i; }
        if (d < radius * radius / 9 && (evident < 0 || i < evident)) evident = i;
      }
    });
    return evident >= 0 ? evident : best;
  }

  /** Returns how many items are in a box, how many of each topic, and the `most` of most evidence. */
  within(left, bottom, right, top, most) {
    const topics = new Map(), list = [];
    const each = fn => this.cells(left, bottom, right, top, (from, to) => {
      for (let s = from; s < to; s++) {
        const i = this.sorted[s];
        if (this.x[i] >= left && this.x[i] <= right && this.y[i] >= bottom && this.y[i] <= top) fn(i);
      }
    });
    let count = 0;
    each(i => { count++; topics.set(this.topic[i], (topics.get(this.topic[i]) ?? 0) + 1); });
    const least = 8 * most * this.count / Math.max(count, 1); // of the first ranks, enough are in the box
    each(i => { if (i < least) list.push(i); });
    return { count, topics: [...topics].sort((a, b) => b[1] - a[1]), first: Uint32Array.from(list).sort().slice(0, most) };
  }

  /** Returns the items in a polygon, those of most evidence first. @param {[number, number][]} corners */
  inside(corners) {
    const xs = corners.map(c => c[0]), ys = corners.map(c => c[1]), found = [];
    this.cells(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys), (from, to) => {
      for (let s = from; s < to; s++) {
        const i = this.sorted[s], x = this.x[i], y = this.y[i];
        let odd = false;
        for (let a = 0, b = xs.length - 1; a < xs.length; b = a++) {
          if (ys[a] > y !== ys[b] > y && x < (xs[b] - xs[a]) * (y - ys[a]) / (ys[b] - ys[a]) + xs[a]) odd = !odd;
        }
        if (odd) found.push(i);
      }
    });
    return Uint32Array.from(found).sort();
  }

  /**
   * Returns where groups of items are: the middle of the fullest part of each, with the number of its items; null of an empty one.
   * @param {number} groups @param {(topic: number) => number} of the group of a topic
   */
  middles(groups, of) {
    const side = 24, full = new Float32Array(groups * side * side), most = Math.min(this.count, 1 << 17), cell = v => Math.min(side - 1, Math.floor((v + 1) / 2 * side));
    const at = i => (of(this.topic[i]) * side + cell(this.y[i])) * side + cell(this.x[i]);
    for (let i = 0; i < most; i++) full[at(i)] += this.share[i];
    const middles = [];
    for (let g = 0; g < groups; g++) {
      let best = 0;
      for (let c = 1; c < side * side; c++) if (full[g * side * side + c] > full[g * side * side + best]) best = c;
      middles.push({ x: 0, y: 0, weight: 0, column: best % side, row: Math.floor(best / side) });
    }
    for (let i = 0; i < most; i++) {
      const m = middles[of(this.topic[i])];
      if (Math.abs(cell(this.x[i]) - m.column) > 1 || Math.abs(cell(this.y[i]) - m.row) > 1) continue;
      m.x += this.x[i] * this.share[i];
      m.y += this.y[i] * this.share[i];
      m.weight += this.share[i];
    }
    return middles.map(m => m.weight > 0 ? { x: m.x / m.weight, y: m.y / m.weight } : null);
  }

  /** Returns a raster of the map: how much of the items around each cell is doubted, from 0 to 255, and its side. */
  doubts() {
    const side = Math.max(16, Math.min(160, Math.round(Math.sqrt(this.count) / 3))), cell = v => Math.min(side - 1, Math.floor((v + 1) / 2 * side));
    let all = new Float32Array(side * side), doubted = new Float32Array(side * side);
    for (let i = 0; i < this.count; i++) {
      const c = cell(this.y[i]) * side + cell(this.x[i]);
      all[c]++;
      if (this.bits[i]) doubted[c]++;
    }
    [all, doubted] = [blurred(all, side), blurred(doubted, side)];
    const few = 0.15 * this.count / side / side;
    return { side, cells: Uint8Array.from(all, (n, c) => n > 0 ? 255 * doubted[c] / n * Math.min(1, n / few) : 0) };
  }
}

/** Returns the means of each cell of a raster and those around it. */
function blurred(cells, side) {
  const out = new Float32Array(cells.length);
  for (let r = 0; r < side; r++) for (let c = 0; c < side; c++) {
    let sum = 0;
    for (let dr = -1; dr <= 1; dr++) for (let dc = -1; dc <= 1; dc++) {
      const row = r + dr, column = c + dc;
      if (row >= 0 && row < side && column >= 0 && column < side) sum += cells[row * side + column] * (dr === 0 ? 2 : 1) * (dc === 0 ? 2 : 1);
    }
    out[r * side + c] = sum / 16;
  }
  return out;
}
