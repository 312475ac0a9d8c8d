// Writes names over the map, as many as there is room for: of coarser levels, then topics, then anchors, then items.

import { h } from './dom.js';
import { called } from './parts.js';

/** How names look, by their kind: the size, the class, and between which zooms they are shown. */
const kinds = {
  level: { size: 19, weight: 700 }, topic: { size: 14, weight: 650 }, anchor: { size: 12.5, weight: 600 }, item: { size: 12, weight: 400 },
};
const family = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif';

/** Returns what writes names into a layer over the map. @param {HTMLElement} layer */
export function labels(layer) {
  const ruler = document.createElement('canvas').getContext('2d'), widths = new Map();
  /** The names that are shown, by key. @type {Map<string, {x: number, y: number, node: HTMLElement}>} */
  let shown = new Map();

  function width(text, kind) {
    const key = kind + text;
    if (!widths.has(key)) {
      if (widths.size > 20000) widths.clear();
      ruler.font = `${kinds[kind].weight} ${kinds[kind].size}px ${family}`;
      widths.set(key, ruler.measureText(text).width);
    }
    return widths.get(key);
  }

  /** All names that could be shown, the most important first. */
  function wanted(map) {
    const { places, topics, camera: { zoom }, names } = map, list = [], depth = map.levels.length;
    map.levels.forEach((level, l) => { // each level has its stretch of zooms; the topics follow
      const begin = l === 0 ? 0 : 1.7 ** l, end = 1.7 ** (l + 2);
      if (zoom >= begin && zoom < end) level.names.forEach((text, c) => map.above[l]?.[c] && list.push({ key: `l${l}.${c}`, kind: 'level', text: short(map, text), ...map.above[l][c] }));
    });
    if (zoom >= 1.7 ** depth * (depth > 0 ? 0.8 : 0)) {
      for (const topic of [...topics].sort((a, b) => b.share - a.share)) {
        const middle = map.middles[topic.topic];
        if (middle) list.push({ key: `t${topic.topic}`, kind: 'topic', text: short(map, called(topic)), ...middle });
      }
    }
    const point = (i, kind) => {
      const row = names.get(places.item[i]);
      if (row) list.push({ key: `i${row.item}`, kind, text: row.name, x: places.x[i], y: places.y[i], beside: kind === 'anchor' ? 11 : 7 });
    };
    if (map.chosen >= 0) { point(map.chosen, 'anchor'); for (const i of map.near) point(i, 'item'); }
    if (zoom >= 1.5) for (const i of map.lights) if (i >= 0) point(i, 'anchor');
    if (zoom >= 2.4 && map.seen) for (const i of map.seen.first) point(i, 'item');
    return list;
  }

  return {
    /** Chooses names that do not overlap, and shows them. */
    place(map) {
      const taken = [], next = new Map(), most = map.width * map.height / 9000;
      for (const one of wanted(map)) {
        if (next.size >= most) break;
        if (next.has(one.key)) continue;
        const [x, y] = map.toScreen(one.x, one.y), wide = width(one.text, one.kind), tall = kinds[one.kind].size * 1.3;
        if (x < 0 || x > map.width) continue;
        const left = one.beside ? x + one.beside : Math.min(Math.max(x - wide / 2, 4), map.width - wide - 4), box = [left - 4, y - tall / 2 - 2, left + wide + 4, y + tall / 2 + 2];
        if (box[0] < 0 || box[2] > map.width || box[1] < 0 || box[3] > map.height || taken.some(t => t[0] < box[2] && box[0] < t[2] && t[1] < box[3] && box[1] < t[3])) continue;
        taken.push(box);
        const node = shown.get(one.key)?.node ?? h('span', {}, one.text);
        node.className = one.kind;
        if (node.textContent !== one.text) node.textContent = one.text;
        next.set(one.key, { x: one.x, y: one.y, dx: left - x, dy: -tall / 2, node });
      }
      for (const [key, { node }] of shown) if (!next.has(key)) node.remove();
      for (const [key, { node }] of next) if (!shown.has(key)) layer.append(node);
      shown = next;
      this.move(map);
    },
    /** Puts the names where the camera has them. */
    move(map) {
      const { camera, scale, width: wide, height: tall } = map, from = this.from;
      if (from && from.of === shown && from.scale === scale && from.wide === wide && from.tall === tall) { // the layer moves as a whole
        layer.style.transform = `translate(${Math.round((from.x - camera.x) * scale)}px,${Math.round((camera.y - from.y) * scale)}px)`;
        return;
      }
      this.from = { of: shown, x: camera.x, y: camera.y, scale, wide, tall };
      layer.style.transform = 'none';
      for (const { x, y, dx, dy, node } of shown.values()) {
        const [left, top] = map.toScreen(x, y);
        node.style.transform = `translate(${Math.round(left + dx)}px,${Math.round(top + dy)}px)`;
      }
    },
  };
}

/** A name of several items, shorter on a narrow map. */
const short = (map, text) => map.width < 600 ? text.split(' · ').slice(0, 2).join(' · ') : text;
