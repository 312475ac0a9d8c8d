// Parts that several views have: pictures, tables, bars, pages of a list.

import { get } from './api.js';
import { announce, count, freshID, h, itemLink, name, percent, svg } from './dom.js';

/**
 * @typedef {Object} Column
 * @property {string} title
 * @property {boolean} [numeric]
 * @property {(row: any) => import('./dom.js').Child} cell
 * @property {string} [sort] name of the order, for the server or for by
 * @property {(row: any) => number | string} [by] what rows are sorted by
 * @property {boolean} [head] whether the cells name their rows
 */

/**
 * Makes a table. If sortBy is given, a click on a heading calls it with the order and whether it is reversed; columns with a value by are
 * sorted here otherwise. sorted says how the rows come, by the order of a column or by its title.
 * @param {{caption: string, columns: Column[], rows?: any[], sorted?: {sort: string, reverse: boolean}, sortBy?: (sort: string, reverse: boolean) => void}} options
 */
export function table({ caption, columns, rows = [], sorted, sortBy }) {
  const body = h('tbody');
  const heads = columns.map(column => {
    const head = h('th', { scope: 'col', class: column.numeric ? 'n' : null });
    if (!column.sort && !column.by) {
      head.append(column.title);
      return head;
    }
    head.append(h('button', { type: 'button', click: () => turn(column, head) }, column.title));
    return head;
  });
  /** Shows in which order the rows are. */
  const mark = (head, up) => {
    for (const other of heads) other.removeAttribute('aria-sort');
    if (head) head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
  };
  /** Numbers begin with the greatest, names with the first. */
  function turn(column, head) {
    const now = head.getAttribute('aria-sort');
    const up = now ? now === 'descending' : !column.numeric;
    mark(head, up);
    if (sortBy && column.sort) return sortBy(column.sort, up === Boolean(column.numeric));
    const key = column.by;
    const compare = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);
    rows = [...rows].sort(up ? compare : (a, b) => compare(b, a));
    show(rows);
    announce(`Sorted by ${column.title}, ${up ? 'ascending' : 'descending'}`);
  }
  /** @param {any[]} list */
  function show(list) {
    rows = list;
    body.replaceChildren(...list.map(row => h('tr', {}, columns.map(column => column.head
      ? h('th', { scope: 'row' }, column.cell(row))
      : h('td', { class: column.numeric ? 'n' : null, 'data-column': column.title }, column.cell(row))))));
  }
  if (sorted) {
    const at = columns.findIndex(column => (column.sort ?? column.title) === sorted.sort);
    if (at >= 0) mark(heads[at], sorted.reverse === Boolean(columns[at].numeric));
  }
  show(rows);
  const node = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    h('table', {}, h('caption', {}, caption), h('thead', {}, h('tr', {}, heads)), body));
  return { node, show };
}

/** Returns a bar, which only decorates a number beside it. @param {number} share of its length, from 0 to 1 */
export function bar(share) {
  return svg('svg', { viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true', class: 'inline-bar' },
    svg('rect', { class: 'track', width: 100, height: 8 }),
    svg('rect', { class: 'bar', width: Math.max(0, Math.min(100, 100 * share)), height: 8 }));
}

/**
 * Returns a list of names with bars and values.
 * @param {{label: Node | string, value: number, text?: string, hue?: number}[]} rows
 */
export function bars(rows) {
  const most = Math.max(...rows.map(row => row.value), 1e-12);
  return h('ol', { class: 'bars' }, rows.map(row => h('li', { class: row.hue ? `k${row.hue}` : null }, h('bdi', {}, row.label), bar(row.value / most), h('small', {}, row.text ?? percent(row.value)))));
}

/**
 * Returns the buttons that go through a long list.
 * @param {(from: number) => void} go
 * @param {number} size rows of a page
 */
export function pager(go, size) {
  let from = 0, total = 0;
  const said = h('span', { class: 'muted' });
  const back = h('button', { type: 'button', click: () => go(Math.max(0, from - size)) }, 'Previous');
  const on = h('button', { type: 'button', click: () => go(from + size) }, 'Next');
  const node = h('div', { class: 'controls', role: 'group', 'aria-label': 'Pages' }, back, on, said);
  /** @param {{from: number, total: number, rows: any[]}} list @param {string} what */
  const show = (list, what) => {
    ({ from, total } = list);
    // A button that takes the focus away from under somebody's finger would be worse than one that does nothing.
    back.setAttribute('aria-disabled', String(from === 0));
    on.setAttribute('aria-disabled', String(from + size >= total));
    said.textContent = total === 0 ? `No ${what}` : `${count(from + 1)}–${count(from + list.rows.length)} of ${count(total)} ${what}`;
    announce(said.textContent);
  };
  back.addEventListener('click', stop, true);
  on.addEventListener('click', stop, true);
  function stop(event) {
    if (event.currentTarget.getAttribute('aria-disabled') === 'true') event.stopImmediatePropagation();
  }
  return { node, show };
}

/** What a topic is called, without its number. @param {import('./model.js').Topic} topic */
export const called = topic => topic.name || topic.label.replace(/^topic \d+: /, '');

/** Returns a link to a topic, with its name. @param {import('./model.js').Topic} topic */
export function topicLink(topic) {
  return h('a', { href: `#/topic/${topic.topic}` }, topic.hue ? h('i', { class: `swatch k${topic.hue}` }) : '', name(topic.label));
}

/** Returns the first items of a topic, to read it by. @param {import('./model.js').Topic} topic @param {number} [n] */
export const gist = (topic, n = 5) => name(topic.prominent.slice(0, n).map(item => item.name).join(' · '));

/**
 * Returns words as links to their items, each in the colour of its main topic.
 * @param {{item: number, name: string, count: number, topic: number}[]} items
 * @param {import('./model.js').Topic[]} topics
 * @param {number} [own] the topic whose words stand out
 */
export const words = (items, topics, own) => items.flatMap(item => [
  h('a', { href: `#/item/${item.item}`, title: topics[item.topic]?.label, class: `k${topics[item.topic]?.hue ?? 0}${item.topic === own ? ' own' : ''}` }, name(item.name)),
  item.count > 1 ? h('small', {}, ` ×${item.count}`) : null, ' ']);

/**
 * Returns a text with the words that are items of the model tinted and linked.
 * @param {string} text
 * @param {{item: number, name: string, topic: number}[]} items
 * @param {import('./model.js').Topic[]} topics
 * @param {number} [own]
 */
export function tinted(text, items, topics, own) {
  const form = word => word.toLowerCase().normalize('NFC').replaceAll('’', "'");
  const known = new Map(items.map(item => [form(item.name), item]));
  return text.split(/([^\p{L}\p{N}\p{M}'’-]+)/u).map(word => {
    const item = known.get(form(word));
    return item ? words([{ ...item, name: word, count: 1 }], topics, own)[0] : word;
  });
}

/** Returns a row of links to items. @param {{item: number, name: string}[]} items */
export const itemList = items => items.flatMap((item, at) => [at > 0 ? ' · ' : null, itemLink(item)]);

/**
 * Returns shares of topics as bars that lead to the topics.
 * @param {{topic: number, share: number}[]} list
 * @param {import('./model.js').Topic[]} topics
 * @param {number} [n]
 */
export function mixture(list, topics, n = 8) {
  const shown = list.filter(one => one.share > 0.0005).slice(0, n);
  if (shown.length === 0) return h('p', { class: 'note' }, 'No topic has a share.');
  return bars(shown.map(one => ({ label: h('a', { href: `#/topic/${one.topic}` }, name(topics[one.topic].label)), value: one.share, hue: topics[one.topic].hue })));
}

/** Returns a labelled field. @param {string} label @param {HTMLElement} input @param {string} [note] */
export function field(label, input, note) {
  input.id ||= freshID('field');
  const help = note ? h('p', { class: 'note', id: input.id + '-note' }, note) : null;
  if (help) input.setAttribute('aria-describedby', help.id);
  return h('div', { class: 'field' }, h('label', { for: input.id }, label), input, help);
}

/**
 * Returns the elements of a picture of the report, which the server sends as [name, attributes, children...]: none if the model has
 * nothing to show there.
 * @param {string} which topics, map, levels, drift or trends
 */
export async function picture(which) {
  const draw = (tree, drawing) => {
    if (typeof tree === 'string') return tree;
    const [tag, attributes, ...children] = tree;
    if (attributes.href) attributes.href = attributes.href.replace(/^#topic-/, '#/topic/');
    return (drawing || tag === 'svg' ? svg : h)(tag, attributes, ...children.map(child => draw(child, drawing || tag === 'svg')));
  };
  const nodes = (await get(`pictures/${which}`)).map(tree => draw(tree, false));
  for (const cell of nodes.flatMap(node => [...node.querySelectorAll?.('td') ?? []])) cell.dataset.column = cell.closest('table').querySelectorAll('thead th')[cell.cellIndex].textContent;
  return nodes;
}
