// The view of one item: its topics, items like it, and items that go with it.

import { get, post } from './api.js';
import { count, h, itemLink, name, number, percent } from './dom.js';
import { model } from './model.js';
import { mixture, table, topicLink } from './parts.js';
import { itemSteps } from './steer.js';

export async function itemView({ argument }) {
  const [item, topics, about] = await Promise.all([get(`items/${encodeURIComponent(argument)}`), model.topics(), model.about()]);
  const facts = [['Documents', count(item.documents)], ['Tokens', count(item.tokens)], ['Reliability', `${item.reliability.toFixed(2)}: the share of its topics that comes from its own documents`]];
  if (item.id !== item.full_name) facts.unshift(['Id', name(item.id)]);
  if (item.anchor_of.length > 0) facts.push(['Anchor of', h('span', {}, item.anchor_of.flatMap((k, at) => [at > 0 ? ', ' : null, topicLink(topics[k])]))]);
  const nodes = [];
  if (item.full_name !== item.name) nodes.push(h('details', {}, h('summary', {}, 'The whole name'), h('p', { class: 'whole-name' }, name(item.full_name))));
  if (item.folded) nodes.push(h('p', { class: 'note' }, `Folded in: it shaped no topics, since it is ${item.left_out}. Its own are those of the documents that have it.`));
  if (item.uncertain) nodes.push(h('p', { class: 'note' }, 'Little is known of this item: what follows rests on chance.'));
  nodes.push(h('dl', { class: 'facts' }, facts.flatMap(([term, value]) => [h('dt', {}, term), h('dd', {}, value)])));
  nodes.push(h('div', {}, h('h2', {}, 'Topics'), mixture(item.topics, topics, 12)), await neighbours(item), await companions(item));
  nodes.push(h('p', {}, h('a', { href: `#/basket?items=${item.item}` }, 'Begin a basket with this item'), item.folded ? null : [' · ', h('a', { href: `#/map?item=${item.item}` }, 'Show it on the map')]));
  if (about.steers && !item.folded) nodes.push(itemSteps(item));
  return { title: item.name, nodes };
}

async function neighbours(item) {
  let rows;
  try {
    rows = await get(`items/${item.item}/similar`, { n: 20 });
  } catch (error) { // some models have no vectors to compare; the rest of the item is of use
    return h('div', {}, h('h2', {}, 'Items like it'), h('p', { class: 'note' }, String(error.message)));
  }
  const columns = [
    { title: 'Item', head: true, cell: itemLink, by: row => row.name },
    { title: 'Lift', numeric: true, cell: row => row.lift.toFixed(1), by: row => row.lift },
    { title: 'Documents', numeric: true, cell: row => count(row.documents), by: row => row.documents },
  ];
  if (rows.some(row => row.uncertain)) columns.push({ title: '', cell: row => row.uncertain ? h('span', { class: 'note' }, 'uncertain') : '' });
  return h('div', {}, h('h2', {}, 'Items like it'), h('p', { class: 'note' }, 'They occur with the same other items, and may replace one another.'),
    rows.length > 0 ? table({ caption: 'Items like it', columns, rows }).node : h('p', {}, 'No item is like it: it occurs with no other.'));
}

async function companions(item) {
  const { with: rows } = await post('basket', { items: [item.item], n: 20 });
  return h('div', {}, h('h2', {}, 'Items that go with it'), complements('Items that go with it', rows));
}

/** Returns a table of items that go with others. @param {string} caption @param {any[]} rows @param {(row: any) => Node} [act] */
export function complements(caption, rows, act) {
  if (rows.length === 0) return h('p', { class: 'note' }, 'Nothing goes with it.');
  const columns = [
    { title: 'Item', head: true, cell: itemLink, by: row => row.name },
    { title: 'Probability', numeric: true, cell: row => percent(row.probability), by: row => row.probability },
    { title: 'Lift', numeric: true, cell: row => `× ${number(row.lift)}`, by: row => row.lift },
  ];
  if (rows.some(row => row.counted)) { // without counts, only topics and frequencies suggest them
    columns.push({ title: 'Together', numeric: true, cell: row => row.counted ? count(row.together) : 'not counted', by: row => row.counted ? row.together : -1 });
  }
  if (act) columns.push({ title: '', cell: act });
  return table({ caption, columns, rows }).node;
}
