// The view of all items: a search among them, page by page.

import { get, latest } from './api.js';
import { count, h, itemLink, percent } from './dom.js';
import { model } from './model.js';
import { field, pager, table, topicLink } from './parts.js';

const pageSize = 50;

export async function itemsView({ query }) {
  const topics = await model.topics();
  const wanted = { search: query.get('search') ?? '', from: Number(query.get('from')) || 0 };
  const columns = [
    { title: 'Item', head: true, cell: itemLink },
    { title: 'Documents', numeric: true, cell: row => count(row.documents) },
    { title: 'Tokens', numeric: true, cell: row => count(row.tokens) },
    { title: 'Greatest topic', cell: row => row.folded ? h('span', { class: 'note' }, 'shaped no topics') : h('span', {}, topicLink(topics[row.topic]), ` ${percent(row.share)}`) },
    { title: 'Reliability', numeric: true, cell: row => row.folded ? '' : row.reliability.toFixed(2) },
  ];
  const list = table({ caption: 'Items', columns });
  const pages = pager(from => { wanted.from = from; load(); }, pageSize);
  const input = h('input', { type: 'search', autocomplete: 'off', spellcheck: 'false', value: wanted.search });
  const hint = h('p', { class: 'note', role: 'status', hidden: true }, 'No name has this. Names like it:');
  const load = latest(async signal => {
    const { search, from } = wanted;
    const asked = { search, from: from || '' };
    const answer = await get('items', { ...asked, n: pageSize }, signal);
    list.show(answer.rows);
    hint.hidden = !answer.near || answer.rows.length === 0;
    pages.show(answer, search ? `items with “${search.slice(0, 40)}”` : 'items');
    const text = new URLSearchParams(Object.entries(asked).filter(([, value]) => value !== '')).toString();
    history.replaceState(null, '', `#/items${text && '?' + text}`);
  });
  let waiting = 0;
  input.addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { Object.assign(wanted, { search: input.value.trim(), from: 0 }); load(); }, 120);
  });
  await load();
  return { title: 'Items', nodes: [h('search', {}, field('Search by a part of the name', input)), pages.node, hint, list.node] };
}
