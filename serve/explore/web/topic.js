// The view of one topic: what it is read by, its items, its documents, and the topics beside it.

import { get, post } from './api.js';
import { count, h, itemLink, name, number, percent } from './dom.js';
import { model } from './model.js';
import { bars, gist, pager, table, tinted, topicLink, words } from './parts.js';
import { topicSteps } from './steer.js';

const pageSize = 50, documentsSize = 10;

export async function topicView({ argument }) {
  const [topic, topics, about] = await Promise.all([get(`topics/${encodeURIComponent(argument)}`), model.topics(), model.about()]);
  const lists = [h('div', {}, h('h2', {}, 'Prominent items'), bars(topic.prominent.map(item => ({ label: itemLink(item), value: item.value }))))];
  if (topic.characteristic.length > 0) {
    lists.push(h('div', {}, h('h2', {}, 'Characteristic items'), bars(topic.characteristic.map(item => ({ label: itemLink(item), value: item.value })))));
  }
  const nodes = [h('p', { class: 'muted' }, gist(topic, 8)), facts(topic), about.steers ? topicSteps(topic, topics) : '', h('div', { class: `pair k${topics[topic.topic].hue}` }, lists), await documents(topic, topics), related(topic, topics), await items(topic)];
  return { title: topic.label, nodes };
}

/** What is known of the topic as a whole. */
function facts(topic) {
  const list = [['Share of all tokens', percent(topic.share)]];
  if (topic.anchor) list.push(['Anchor', h('span', {}, itemLink(topic.anchor), topic.evidence ? `, in ${count(topic.evidence.documents)} documents` : '')]);
  if (topic.evidence) {
    list.push(['Evidence', `its row rests on about ${number(topic.evidence.sample_size)} documents; distance to the other anchors ${number(topic.evidence.pivot)}, margin ${number(topic.evidence.margin)}`]);
  }
  if (topic.agreement !== null) list.push(['By other documents', `${percent(topic.agreement)} the same`]);
  return h('dl', { class: 'facts' }, list.flatMap(([term, value]) => [h('dt', {}, term), h('dd', {}, value)]));
}

/** Topics that share documents with this one, more or less often than chance. */
function related(topic, topics) {
  const close = topic.related.slice(0, 6);
  return h('div', {}, h('h2', {}, 'Topics in the same documents'),
    h('p', { class: 'note' }, 'How often tokens of both topics are in one document, in multiples of what chance would give.'),
    bars(close.map(one => ({ label: h('span', {}, topicLink(topics[one.topic])), value: one.lift, text: `× ${number(one.lift)}`, hue: topics[one.topic].hue }))));
}

/** All items of the topic, page by page. */
async function items(topic) {
  let sort = 'probability', from = 0;
  const columns = [
    { title: 'Item', head: true, cell: itemLink },
    { title: 'Of the topic', numeric: true, sort: 'probability', cell: row => percent(row.probability) },
    { title: 'Of the item', numeric: true, sort: 'of_item', cell: row => percent(row.of_item) },
    { title: 'Documents', numeric: true, cell: row => count(row.documents) },
  ];
  const list = table({ caption: 'Items of the topic', columns, sorted: { sort, reverse: false }, sortBy: next => { sort = next; from = 0; load(); } });
  const pages = pager(next => { from = next; load(); }, pageSize);
  async function load() {
    const answer = await get(`topics/${topic.topic}/items`, { sort, from, n: pageSize });
    list.show(answer.rows);
    pages.show(answer, 'items');
  }
  await load();
  return h('div', {}, h('h2', {}, 'All items'),
    h('p', { class: 'note' }, 'The first thousand: by p(item | topic), or by p(topic | item) among items of which enough is known.'), pages.node, list.node);
}

/** The documents with most of the topic. */
async function documents(topic, topics) {
  const box = h('div', {}, h('h2', {}, 'Documents'));
  const list = h('ol', { class: 'documents' }), note = h('p', { class: 'note' });
  let from = 0;
  const pages = pager(next => { from = next; load(); }, documentsSize);
  async function load() {
    const answer = await get(`topics/${topic.topic}/documents`, { from, n: documentsSize });
    const { reading } = answer;
    note.textContent = explain(reading);
    pages.node.hidden = reading.state !== 'done';
    list.hidden = reading.state !== 'done' && reading.state !== 'examples';
    list.start = answer.from + 1;
    list.replaceChildren(...answer.rows.map(row => documentRow(row, topic, topics)));
    if (reading.state === 'done') pages.show(answer, 'documents');
    if (reading.state === 'reading') setTimeout(() => { if (box.isConnected) load(); }, 1000);
  }
  await load();
  box.append(note, pages.node, list);
  return box;
}

/** @param {import('./model.js').Reading} reading */
function explain(reading) {
  switch (reading.state) {
    case 'none': return 'No documents are known: give anchorage explore the shards.';
    case 'examples': return 'Examples that the model has stored. Give anchorage explore the shards for more.';
    case 'reading': return `Documents are being read: ${count(reading.documents)} so far.`;
    case 'failed': return `The documents could not be read: ${reading.error}`;
  }
  return `The documents with the greatest share of the topic, of ${count(reading.documents)}.`;
}

function documentRow(row, topic, topics) {
  const others = row.topics.filter(one => one.topic !== topic.topic && one.share >= 0.05);
  return h('li', {},
    h('p', {}, h('b', { class: 'title' }, name(row.id)), ` ${percent(row.share)}`,
      others.length > 0 ? h('span', { class: 'muted' }, '; also ', others.flatMap((one, at) => [at > 0 ? ', ' : '', topics[one.topic] ? topicLink(topics[one.topic]) : `topic ${one.topic}`, ` ${percent(one.share)}`])) : null,
      row.known > 0 && h('span', { class: 'muted' }, `; ${count(row.known)} known tokens${row.unknown > 0 ? `, ${count(row.unknown)} unknown` : ''}`)),
    row.text ? textOf(row, topic, topics) : null,
    row.items.length > 0 ? h('p', { class: 'words' }, words(row.items, topics, topic.topic)) : null);
}

/** The text of a document, a few lines until more is asked for; its words get their colours as soon as the server has found their topics. */
function textOf(row, topic, topics) {
  const text = h('p', { class: 'words text', dir: 'auto' }, row.text);
  post('document', { text: row.text }).then(answer => text.replaceChildren(...tinted(row.text, answer.items, topics, topic.topic)), () => {});
  if (row.text.length < 600 && row.text.split('\n').length < 6) return text;
  text.classList.add('short');
  const more = h('button', { type: 'button', 'aria-expanded': 'false', click: () => more.setAttribute('aria-expanded', String(!text.classList.toggle('short'))) }, 'Whole text');
  return h('div', {}, text, more);
}
