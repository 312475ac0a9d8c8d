// The view of the map: every item as a point. What is drawn is in mapcanvas.js, where items are in mapindex.js, names in maplabels.js.

import { get, post } from './api.js';
import { announce, count, h, itemLink, name, percent, svg } from './dom.js';
import { finder } from './finder.js';
import { disc, lighthouse, margin, painter, ring } from './mapcanvas.js';
import { Places } from './mapindex.js';
import { labels } from './maplabels.js';
import { model } from './model.js';
import { called, topicLink } from './parts.js';
import { selectionSteps, steer } from './steer.js';

/** The map, which stays when somebody looks at other views. */
let map = null;

export async function mapView({ query }) {
  const [about, topics, file] = await Promise.all([model.about(), model.topics(), get('map')]);
  if (file.problem) {
    return { title: 'Map', nodes: [h('p', {}, `${file.problem} This command draws one, of every item, in seconds or minutes:`), h('p', {}, h('code', {}, name(file.command))), h('p', { class: 'note' }, 'Then come back to this page.')] };
  }
  if (map?.of !== file.of) map = new ItemMap(file.items, file.chunk, file.of); // there is none yet, or it was drawn again
  const wanted = query.get('item'), at = query.get('at')?.split(',').map(Number);
  return { title: 'Map', nodes: [map.root], wide: true, shown: () => map.show(about, topics, file.levels, wanted === null ? null : Number(wanted), at) };
}

addEventListener('focus', async () => { // somebody comes back to the window: was the map drawn meanwhile?
  if (!/^#\/map\b/.test(location.hash)) return;
  const file = await get('map').catch(() => null);
  if (file && file.of !== (map?.of ?? '')) dispatchEvent(new Event('explore-changed'));
});

/** Asks what items are called, many at a time. */
class Names {
  constructor() { this.known = new Map(); this.wanted = new Set(); this.waiting = null; }
  /** @param {number} item @returns {{item: number, name: string, topic: number, share: number, documents: number, uncertain: boolean} | undefined} */
  get(item) { return this.known.get(item); }
  /** @param {Iterable<number>} items */
  async ask(items) {
    for (const item of items) if (!this.known.has(item)) this.wanted.add(item);
    while (this.wanted.size > 0) {
      this.waiting ??= new Promise(resolve => setTimeout(resolve, 20)).then(async () => {
        const list = [...this.wanted].slice(0, 1000);
        for (const item of list) this.wanted.delete(item);
        this.waiting = null;
        for (const row of await post('map/names', { items: list })) this.known.set(row.item, row);
      });
      await this.waiting;
    }
  }
}

const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

class ItemMap {
  constructor(items, chunk, of) {
    Object.assign(this, { items, chunk, of, names: new Names(), places: new Places(items), version: 0, camera: { x: 0, y: 0, zoom: 1 }, selected: null, chosen: -1, near: [], pointed: -1, dim: 1 });
    this.canvas = h('canvas', { tabindex: '0', role: 'application', 'aria-label': 'Map of all items', 'aria-describedby': 'map-keys' });
    this.layer = h('div', { class: 'map-names', 'aria-hidden': 'true' });
    this.lasso = svg('svg', { class: 'map-lasso', 'aria-hidden': 'true' }, svg('path', {}));
    this.tip = h('div', { class: 'map-tip', hidden: true, 'aria-hidden': 'true' });
    this.cross = h('div', { class: 'map-cross', 'aria-hidden': 'true' });
    this.ring = h('div', { class: 'map-ring', 'aria-hidden': 'true', hidden: true });
    this.note = h('p', { class: 'map-note', role: 'status' }, 'Loading…');
    const button = (label, text, click) => h('button', { type: 'button', 'aria-label': label, title: label, click }, text);
    this.drawing = h('button', { type: 'button', 'aria-pressed': 'false', title: 'Draw around items (or hold Shift)', click: () => this.setLasso(this.drawing.getAttribute('aria-pressed') !== 'true') }, 'Lasso');
    this.card = h('section', { class: 'map-card', 'aria-label': 'What is chosen', hidden: true });
    this.undone = h('div', { class: 'controls', hidden: true });
    this.inView = h('div', { class: 'map-view' });
    this.hatched = h('li', {}, h('i', { class: 'hatched' }), 'Hatched: not to be relied on. Of most items here too little is known, or the other half of the documents gives another topic.');
    this.stage = h('div', { class: 'map-stage' }, this.canvas, this.lasso, this.layer, this.cross, this.ring, this.tip, this.note,
      h('div', { class: 'map-tools' }, button('Zoom in', '+', () => this.zoomBy(1.6)), button('Zoom out', '−', () => this.zoomBy(1 / 1.6)), button('The whole map', '⤢', () => this.home()), this.drawing));
    this.root = h('div', { class: 'map' }, this.stage, h('div', { class: 'map-side' },
      finder('Fly to an item', row => this.choose(row.item, true)), this.undone, this.card, this.inView,
      h('details', { class: 'map-legend', open: true }, h('summary', {}, 'How to read it'), h('ul', {},
        h('li', {}, h('i', { class: 'dot' }), 'Every point is an item; the nearer two are, the more alike. Its colour is that of its main topic, as everywhere.'),
        h('li', {}, h('i', { class: 'dot pale' }), 'The paler, the less is known of it.'),
        h('li', {}, h('i', { class: 'light' }), 'Lighthouses are anchors: the items that topics were found by.'), this.hatched),
      h('p', { id: 'map-keys', class: 'note' }, 'Drag or arrow keys move, wheel or + and − zoom, 0 shows all, Enter takes the item in the middle, S selects what is in view, Shift and drag selects by hand, Escape lets go.'))));
    this.painter = painter(this.canvas);
    this.labels = labels(this.layer);
    if (this.painter) this.listen();
    else {
      this.stage.classList.add('flat');
      this.note.textContent = 'This browser draws no WebGL, so there is no picture. Search and lists work: they show what is on the map.';
    }
    addEventListener('keydown', event => { if (event.key === 'Escape' && this.root.isConnected && !event.defaultPrevented) this.letGo(); });
    new MutationObserver(() => this.recolour()).observe(document.documentElement, { attributeFilter: ['data-theme'] });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.recolour());
    new ResizeObserver(() => this.resize()).observe(this.stage);
  }

  /** Is called whenever the view is opened, and after every step. */
  async show(about, topics, levels, wanted, at) {
    this.steers = about.steers;
    if (this.version === 0) Object.assign(this, { topics, levels });
    this.resize();
    if (at?.length === 3 && at.every(Number.isFinite)) [this.camera.x, this.camera.y, this.camera.zoom] = at;
    if (this.version !== about.version) {
      const first = this.version === 0;
      this.version = about.version;
      try {
        await (first ? this.load() : this.refresh(topics, levels));
      } catch (error) {
        this.note.textContent = `The map did not come: ${error.message}`;
        return;
      }
    }
    this.showUndo();
    if (wanted !== null) this.choose(wanted, true);
    this.settle();
    this.wake();
  }

  /** @returns {Promise<ArrayBuffer>} */
  async piece(at) {
    const response = await fetch(`/api/map/chunks/${at}?of=${this.of}`, { credentials: 'same-origin' });
    if (!response.ok) throw new Error((await response.json()).error.message);
    return response.arrayBuffer();
  }
  get pieces() { return Math.ceil(this.items / this.chunk); }

  /** Loads the items, those of most evidence first, and draws each piece when it comes. */
  async load() {
    performance.mark('map-asked');
    let next = this.piece(0);
    for (let at = 0, sorted = 0; at < this.pieces; at++) {
      const bytes = await next;
      if (at + 1 < this.pieces) next = this.piece(at + 1);
      const n = this.places.add(bytes);
      if (at === 0) this.recolour();
      this.setLook();
      this.painter?.add(bytes, n, this.items);
      if (at === 0 || this.places.count > 4 * sorted || at + 1 === this.pieces) {
        sorted = this.places.count;
        this.learn();
      }
      this.note.textContent = at + 1 < this.pieces ? `${count(this.places.count)} of ${count(this.items)} items` : this.painter ? '' : this.note.textContent;
      this.wake();
    }
    this.root.dataset.loaded = 'yes';
    this.painter?.again();
  }

  /** Loads the items again after a step, and fades from the map before. */
  async refresh(topics, levels) {
    const places = new Places(this.items), pieces = [];
    for (let at = 0; at < this.pieces; at++) {
      const bytes = await this.piece(at);
      pieces.push({ bytes, count: places.add(bytes) });
    }
    const key = this.selected && { list: [...this.selected].map(i => this.places.item[i]) };
    const before = this.places;
    Object.assign(this, { topics, levels, places });
    this.names = new Names();
    this.painter?.replace(pieces);
    this.learn();
    this.recolour(true);
    const same = before.count === places.count; // otherwise items have other numbers
    this.selected = same && key ? Uint32Array.from(key.list, item => places.rankOf[item]).sort() : null;
    if (!same) this.letGo();
    else if (this.selected) this.showSelection();
    this.mark();
  }

  /** Works out what depends on where all items are. */
  learn() {
    this.places.sort();
    const { topics } = this;
    this.middles = this.places.middles(topics.length, topic => topic);
    this.above = this.levels.map(level => this.places.middles(level.names.length, topic => level.of[topic]));
    const doubts = this.places.doubts();
    this.hatched.hidden = !doubts.cells.some(cell => cell > 128);
    this.painter?.doubt(doubts.cells, doubts.side);
    this.lights = topics.map(topic => topic.anchor ? this.places.rankOf[topic.anchor.item] ?? -1 : -1);
    this.mark();
    this.settle();
  }

  // What is drawn.

  colour(variable) {
    const text = getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
    return [1, 3, 5].map(at => parseInt(text.slice(at, at + 2), 16) / 255);
  }
  recolour(fade = false) {
    if (!this.painter || !this.topics) return;
    this.hues = [1, 2, 3, 4, 5, 6].map(hue => this.colour(`--c${hue}`));
    this.painter.palette(Uint8Array.from(this.topics.flatMap(topic => [...this.hues[topic.hue - 1].map(v => 255 * v), 255])));
    this.painter.colours(this.colour('--card'), [...this.colour('--muted'), 0.55]);
    this.painter.again(fade);
    this.mark();
  }
  setLook() {
    const ratio = this.ratio, area = this.fit * this.fit * 4 * 0.6, zoom = this.camera.zoom; // points share somewhat more than half of the square
    const usual = 0.9 * Math.sqrt(area / Math.max(this.items, 1)), size = Math.min(11 * ratio, Math.max(1.5 * ratio, usual) * zoom ** 0.45);
    const cover = this.items * size * size / (area * zoom * zoom);
    this.painter?.look(size, Math.max(0.3, Math.min(0.85, 0.75 / cover ** 0.35)));
  }
  /** The marks over the points: lines to neighbours, what is selected, lighthouses, what is chosen and pointed at. */
  mark() {
    if (!this.painter || !this.middles) return;
    const { places, ratio } = this, list = [], ink = this.colour('--fg');
    const put = (i, size, kind, colour, alpha = 1) => list.push(places.x[i], places.y[i], size * ratio, kind, ...colour, alpha);
    const own = i => this.hues[(this.topics[places.topic[i]]?.hue ?? 1) - 1];
    for (const i of this.near) { put(this.chosen, 1, 0, ink, 0.35); put(i, 1, 0, ink, 0.35); }
    const ends = list.length / 8;
    if (this.selected) for (const i of this.selected.subarray(0, 30000)) put(i, 7, disc, own(i));
    for (const i of this.lights) if (i >= 0) put(i, 26, lighthouse, own(i));
    for (const i of this.near) { put(i, 9, disc, own(i)); put(i, 15, ring, ink, 0.8); }
    if (this.chosen >= 0) { put(this.chosen, 13, disc, own(this.chosen)); put(this.chosen, 24, ring, ink); }
    this.painter.marks(Float32Array.from(list), ends);
    this.wake();
  }
  resize() {
    const { width, height } = this.stage.getBoundingClientRect();
    if (Math.min(width, height) < 20) return; // no window is so small: the page is on its way to another size
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    [this.width, this.height] = [width, height];
    const [left, top] = [width, height].map(v => Math.round(v * margin / (1 - 2 * margin))), [wide, tall] = [width + 2 * left, height + 2 * top];
    Object.assign(this.canvas.style, { left: `${-left}px`, top: `${-top}px`, width: `${wide}px`, height: `${tall}px` });
    [this.canvas.width, this.canvas.height] = [Math.round(wide * this.ratio), Math.round(tall * this.ratio)];
    this.setLook();
    this.settle();
    this.wake();
  }
  /** Device pixels per unit of the map when all of it is seen. */
  get fit() { return Math.min(this.width, this.height) * this.ratio / 2 * 0.94; }
  /** CSS pixels per unit of the map. */
  get scale() { return this.fit * this.camera.zoom / this.ratio; }
  toScreen(x, y) { return [this.width / 2 + (x - this.camera.x) * this.scale, this.height / 2 - (y - this.camera.y) * this.scale]; }
  toMap(left, top) { return [this.camera.x + (left - this.width / 2) / this.scale, this.camera.y - (top - this.height / 2) / this.scale]; }

  /** Asks for a frame. */
  wake() { if (this.painter && !this.asked) this.asked = requestAnimationFrame(now => this.frame(now)); }
  frame(now) {
    this.asked = 0;
    if (!this.root.isConnected || !this.width) return;
    let more = this.fly(now);
    const dim = this.selected || this.chosen >= 0 ? 0.4 : 1;
    this.dim = Math.abs(this.dim - dim) < 0.02 ? dim : this.dim + (dim - this.dim) * 0.25;
    this.setLook();
    more = this.painter.frame({ x: this.camera.x, y: this.camera.y, scale: this.fit * this.camera.zoom }, now, this.dim, 11 * this.ratio) || more || this.dim !== dim;
    if (this.places.count > 0 && !this.painted) {
      this.painted = true;
      performance.mark('map-painted');
    }
    const { at } = this.painter, grown = this.fit * this.camera.zoom / at.scale, by = at.scale * grown / this.ratio;
    this.canvas.style.transform = `translate(${(at.x - this.camera.x) * by}px,${(this.camera.y - at.y) * by}px) scale(${grown})`;
    this.labels.move(this);
    this.outline();
    if (more) this.wake();
  }

  // Where the camera is.

  /** Continues a flight: it rises, passes over and descends, as van Wijk and Nuij have it (Smooth and efficient zooming and panning, 2003). */
  fly(now) {
    const f = this.flight;
    if (!f) return false;
    const t = Math.max(0, Math.min(1, (now - f.began) / f.time)), s = t * t * (3 - 2 * t) * f.way;
    const [part, zoom] = f.at(s);
    Object.assign(this.camera, { x: f.from.x + part * (f.to.x - f.from.x), y: f.from.y + part * (f.to.y - f.from.y), zoom });
    if (t < 1) return true;
    Object.assign(this.camera, f.to);
    this.flight = null;
    this.settle();
    return true;
  }
  flyTo(to) {
    const from = { ...this.camera }, far = Math.hypot(to.x - from.x, to.y - from.y), [w0, w1] = [1 / from.zoom, 1 / to.zoom], rho = 1.4;
    if (calm()) { Object.assign(this.camera, to); this.settle(); this.wake(); return; }
    let way, at;
    if (far < 1e-9) {
      way = Math.abs(Math.log(w1 / w0)) / rho;
      at = s => [1, 1 / (w0 * Math.exp((w1 < w0 ? -1 : 1) * rho * s))];
    } else {
      const b = i => (w1 * w1 - w0 * w0 + (i ? -1 : 1) * rho ** 4 * far * far) / (2 * (i ? w1 : w0) * rho * rho * far), r = i => Math.log(-b(i) + Math.sqrt(b(i) ** 2 + 1));
      const [r0, r1] = [r(0), r(1)];
      way = (r1 - r0) / rho;
      at = s => [w0 / (rho * rho * far) * (Math.cosh(r0) * Math.tanh(rho * s + r0) - Math.sinh(r0)), Math.cosh(rho * s + r0) / (w0 * Math.cosh(r0))];
    }
    this.flight = { from, to, way, at, began: performance.now(), time: Math.min(2200, 350 + 420 * way) };
    this.wake();
  }
  home() { this.flyTo({ x: 0, y: 0, zoom: 1 }); }
  zoomBy(factor, left = this.width / 2, top = this.height / 2) {
    this.flight = null;
    const [x, y] = this.toMap(left, top), most = Math.max(40, 6 * Math.sqrt(this.items));
    this.camera.zoom = Math.max(0.7, Math.min(most, this.camera.zoom * factor));
    const [nx, ny] = this.toMap(left, top);
    this.panBy(nx - x, ny - y);
  }
  /** Moves by units of the map. */
  panBy(dx, dy) {
    this.flight = null;
    this.camera.x = Math.max(-1.2, Math.min(1.2, this.camera.x - dx));
    this.camera.y = Math.max(-1.2, Math.min(1.2, this.camera.y - dy));
    this.moved();
  }
  moved() {
    this.point(-1);
    this.wake();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.settle(), 140);
  }
  /** Says what is in view: with names on the map, in the lists beside it, and in the address. */
  async settle() {
    if (!this.width || !this.middles || !this.root.isConnected) return;
    const [left, top] = this.toMap(0, 0), [right, bottom] = this.toMap(this.width, this.height);
    this.seen = this.places.within(left, bottom, right, top, 160);
    const turn = this.turn = (this.turn ?? 0) + 1;
    this.showLabels();
    if (this.address !== (this.address = [this.camera.x.toFixed(4), this.camera.y.toFixed(4), this.camera.zoom.toFixed(2)].join())) history.replaceState(null, '', `#/map?at=${this.address}`);
    try {
      await this.names.ask([...this.seen.first, ...this.lights.filter(i => i >= 0), ...this.near].map(i => this.places.item[i]));
    } catch { return; } // the next look asks again
    if (turn !== this.turn || !this.root.isConnected) return;
    this.showLabels();
    this.list();
    this.root.dataset.settled = String(turn);
  }
  showLabels() {
    if (!this.middles) return;
    this.labels.place(this);
    this.wake();
  }
  /** The list of what is in view, for people who do not see the map, and for a second look. */
  list() {
    const { seen, places, topics } = this, all = Math.max(seen.count, 1);
    const rows = [...seen.first].slice(0, 12).map(i => this.names.get(places.item[i])).filter(Boolean);
    this.canvas.setAttribute('aria-label', `Map of ${count(this.items)} items: ${count(seen.count)} in view`);
    const fly = topic => this.middles[topic] && this.flyTo({ ...this.middles[topic], zoom: Math.max(this.camera.zoom, 3) });
    this.inView.replaceChildren(h('h2', {}, `In view: ${count(seen.count)} items`),
      h('ul', { class: 'map-topics', 'aria-label': 'Topics in view' }, seen.topics.slice(0, 8).map(([topic, n]) => h('li', {},
        h('button', { type: 'button', title: 'Fly there', click: () => fly(topic) }, h('i', { class: `swatch k${topics[topic].hue}` }), name(called(topics[topic]))), h('small', {}, percent(n / all))))),
      h('ol', { class: 'map-items', 'aria-label': 'Items in view, those in most documents first' }, rows.map(row => h('li', {}, this.itemButton(row), h('small', {}, count(row.documents))))),
      seen.count > rows.length ? h('p', { class: 'note' }, 'The items in most documents. Zoom in, or search, for others.') : null);
  }
  itemButton(row) { return h('button', { type: 'button', click: () => this.choose(row.item, true) }, h('i', { class: `swatch k${this.topics[row.topic].hue}` }), name(row.name)); }

  // What is chosen.

  /** Shows the name of a point. */
  async point(i) {
    if (i === this.pointed) return;
    this.pointed = i;
    this.tip.hidden = this.ring.hidden = true;
    if (i < 0) return;
    const [x, y] = this.toScreen(this.places.x[i], this.places.y[i]);
    this.ring.hidden = false;
    this.ring.style.transform = `translate(${x}px,${y}px)`;
    await this.names.ask([this.places.item[i]]);
    const row = this.names.get(this.places.item[i]);
    if (this.pointed !== i || !row) return;
    const topic = this.topics[row.topic];
    this.tip.replaceChildren(h('b', {}, name(row.name)), h('span', {}, h('i', { class: `swatch k${topic.hue}` }), name(called(topic)), ` ${percent(row.share)}`),
      h('span', { class: 'muted' }, `in ${count(row.documents)} documents${row.uncertain ? '; little is known of it' : ''}${this.lights.includes(i) ? '; an anchor' : ''}`));
    this.tip.hidden = false;
    const { offsetWidth: wide, offsetHeight: tall } = this.tip;
    this.tip.style.transform = `translate(${Math.round(Math.max(4, Math.min(this.width - wide - 4, x + 14)))}px,${Math.round(y + 16 + tall > this.height ? y - tall - 14 : y + 14)}px)`;
  }
  /** Chooses an item: neighbours light up, and the camera flies there if it is asked to. */
  async choose(item, flies) {
    const i = this.places.rankOf[item] ?? -1;
    if (i < 0) { announce('This item is not on the map'); this.note.textContent = 'This item is not on the map.'; return; }
    Object.assign(this, { chosen: i, near: [], selected: null });
    this.lassoed = null;
    if (flies) this.flyTo({ x: this.places.x[i], y: this.places.y[i], zoom: Math.max(this.camera.zoom, Math.min(14, 2 + Math.sqrt(this.items) / 40)) });
    this.mark();
    const near = await get(`items/${item}/similar`, { n: 15 }).catch(() => []);
    await this.names.ask([item]);
    if (this.chosen !== i) return;
    const row = this.names.get(item), topic = this.topics[row.topic];
    for (const one of near) this.names.known.set(one.item, one);
    this.near = near.map(one => this.places.rankOf[one.item]).filter(j => j >= 0 && j !== i);
    this.card.hidden = false;
    this.card.replaceChildren(this.closer(), h('h2', {}, itemLink(row)),
      h('p', {}, topicLink(topic), ` ${percent(row.share)}`), h('p', { class: 'muted' }, `In ${count(row.documents)} documents.${row.uncertain ? ' Little is known of it: its place rests on chance.' : ''}`),
      near.length > 0 ? h('h3', {}, 'Items like it') : null, h('ol', { class: 'map-items' }, near.map(one => h('li', {}, this.itemButton(one)))));
    announce(`${row.name}, ${topic.label}`);
    this.mark();
    this.settle();
  }
  closer() { return h('button', { type: 'button', class: 'map-close', 'aria-label': 'Let go', click: () => this.letGo() }, '×'); }
  letGo() {
    Object.assign(this, { chosen: -1, near: [], selected: null, lassoed: null });
    this.setLasso(false);
    this.card.hidden = true;
    this.card.replaceChildren();
    this.point(-1);
    this.mark();
    this.showLabels();
  }
  /** Selects items, those of most evidence first. @param {Uint32Array} found */
  select(found) {
    this.setLasso(false);
    if (found.length === 0) { announce('No item is there'); this.lassoed = null; this.wake(); return; }
    Object.assign(this, { selected: found, chosen: -1, near: [] });
    this.mark();
    this.showLabels();
    return this.showSelection();
  }
  async showSelection() {
    const { selected, places, topics } = this, first = [...selected.subarray(0, 1000)].map(i => places.item[i]), shares = new Map();
    await this.names.ask(first.slice(0, 100));
    if (this.selected !== selected) return;
    for (const i of selected) shares.set(places.topic[i], (shares.get(places.topic[i]) ?? 0) + 1);
    const most = [...shares].sort((a, b) => b[1] - a[1]).slice(0, 6);
    this.card.hidden = false;
    this.card.replaceChildren(this.closer(), h('h2', { tabindex: '-1' }, `${count(selected.length)} ${selected.length === 1 ? 'item' : 'items'} selected`),
      h('p', { class: 'map-first' }, name(first.slice(0, 12).map(item => this.names.get(item)?.name ?? '').join(' · ')), selected.length > 12 ? ' …' : ''),
      this.steers ? selectionSteps(first, most.map(([topic, n]) => ({ ...topics[topic], part: n / selected.length })), topics) :
        h('ul', { class: 'map-topics' }, most.map(([topic, n]) => h('li', {}, topicLink(topics[topic]), h('small', {}, percent(n / selected.length))))));
    announce(`${count(selected.length)} items selected`);
  }
  async showUndo() {
    if (!this.steers) return;
    const { steps } = await get('steer'), problem = h('div');
    this.undone.hidden = steps.length === 0;
    this.undone.replaceChildren(h('button', { type: 'button', click: () => steer({ undo: true }, problem) }, 'Undo the last step'), h('a', { href: '#/steer' }, `${steps.length} ${steps.length === 1 ? 'step' : 'steps'} so far`), problem);
  }

  // Pointers and keys.

  setLasso(on) {
    this.drawing.setAttribute('aria-pressed', String(on));
    this.stage.classList.toggle('lassoing', on);
  }
  outline() {
    const path = this.lasso.firstChild;
    this.lasso.toggleAttribute('hidden', !this.lassoed);
    if (this.lassoed) path.setAttribute('d', 'M' + this.lassoed.map(([x, y]) => this.toScreen(x, y).map(v => v.toFixed(1)).join()).join('L') + (this.pulling ? '' : 'Z'));
  }
  listen() {
    const { canvas } = this, fingers = new Map();
    const at = event => { const box = this.stage.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    let far = 0;
    canvas.addEventListener('pointerdown', event => {
      if (event.button > 0) return;
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, at(event));
      far = 0;
      this.flight = null;
      this.stage.classList.add('held');
      if (fingers.size === 1 && (event.shiftKey || this.drawing.getAttribute('aria-pressed') === 'true')) {
        this.pulling = true;
        this.lassoed = [this.toMap(...at(event))];
      }
    });
    canvas.addEventListener('pointermove', event => {
      const now = at(event), was = fingers.get(event.pointerId);
      if (!was) { // nothing is held
        if (this.middles) { const [x, y] = this.toMap(...now); this.point(this.places.nearest(x, y, 12 / this.scale)); }
        return;
      }
      if (this.pulling) {
        const [x, y] = this.toScreen(...this.lassoed.at(-1));
        if (Math.hypot(now[0] - x, now[1] - y) > 4) this.lassoed.push(this.toMap(...now));
        this.wake();
        return;
      }
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      far += Math.hypot(now[0] - was[0], now[1] - was[1]);
      fingers.set(event.pointerId, now);
      if (other) { // two fingers: move by half of the way, zoom by what their distance does
        const spread = (a, b) => Math.max(10, Math.hypot(a[0] - b[0], a[1] - b[1]));
        this.panBy((now[0] - was[0]) / 2 / this.scale, (was[1] - now[1]) / 2 / this.scale);
        this.zoomBy(spread(now, other) / spread(was, other), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
      } else if (far > 3) this.panBy((now[0] - was[0]) / this.scale, (was[1] - now[1]) / this.scale);
    });
    const end = event => {
      if (!fingers.delete(event.pointerId)) return;
      if (fingers.size === 0) this.stage.classList.remove('held');
      if (this.pulling) {
        this.pulling = false;
        if (this.lassoed.length > 2) this.select(this.places.inside(this.lassoed));
        else { this.lassoed = null; this.setLasso(false); }
        this.wake();
      } else if (far <= 3 && event.type === 'pointerup' && this.middles) {
        const i = this.places.nearest(...this.toMap(...at(event)), (event.pointerType === 'touch' ? 22 : 12) / this.scale);
        i >= 0 ? this.choose(this.places.item[i], false) : this.letGo();
      }
    };
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('pointerleave', () => this.point(-1));
    canvas.addEventListener('dblclick', event => this.zoomBy(2, ...at(event)));
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      this.zoomBy(Math.exp(-event.deltaY * (event.deltaMode === 1 ? 0.05 : event.ctrlKey ? 0.01 : 0.002)), ...at(event));
    }, { passive: false });
    canvas.addEventListener('keydown', event => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = 60 / this.scale;
      const keys = {
        ArrowLeft: () => this.panBy(step, 0), ArrowRight: () => this.panBy(-step, 0), ArrowUp: () => this.panBy(0, -step), ArrowDown: () => this.panBy(0, step),
        '+': () => this.zoomBy(1.25), '=': () => this.zoomBy(1.25), '-': () => this.zoomBy(0.8), 0: () => this.home(), Home: () => this.home(),
        Enter: () => { const i = this.places.nearest(this.camera.x, this.camera.y, 60 / this.scale); i >= 0 ? this.choose(this.places.item[i], false) : announce('No item is in the middle'); },
        s: () => { const [l, t] = this.toMap(0, 0), [r, b] = this.toMap(this.width, this.height); this.lassoed = null; this.select(this.places.inside([[l, b], [r, b], [r, t], [l, t]])); },
      };
      const act = keys[event.key] ?? keys[event.key.toLowerCase()];
      if (!act || !this.middles) return;
      event.preventDefault();
      act();
    });
    canvas.addEventListener('webglcontextlost', () => { map = null; this.note.textContent = 'The browser has taken the canvas away: load this page again.'; });
  }
}
