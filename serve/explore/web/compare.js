// The view of two models side by side.

import { get } from './api.js';
import { count, h, name, percent } from './dom.js';
import { model } from './model.js';
import { bar, gist, table } from './parts.js';

const kinds = { kept: 'kept', born: 'new', died: 'gone', split: 'split', merged: 'merged' };

export async function compareView() {
  const [answer, about] = await Promise.all([get('compare'), model.about()]);
  const side = topic => topic ? h('span', {}, h('b', {}, name(topic.label)), ` ${percent(topic.share)}`, h('br'), h('span', { class: 'muted' }, gist(topic, 6))) : h('span', { class: 'muted' }, '—');
  const items = list => name(list.slice(0, 5).map(item => item.name).join(' · '));
  const columns = [
    { title: 'What became of it', head: true, cell: pair => kinds[pair.kind] ?? pair.kind, by: pair => pair.kind },
    { title: 'Earlier model', cell: pair => side(pair.then), by: pair => -(pair.then?.share ?? 0) },
    { title: 'This model', cell: pair => side(pair.now), by: pair => -(pair.now?.share ?? 0) },
    { title: 'Distance', numeric: true, cell: pair => h('span', { class: 'with-bar' }, bar(pair.distance), pair.distance.toFixed(2)), by: pair => pair.distance },
    { title: 'Risen', cell: pair => items(pair.risen) },
    { title: 'Fallen', cell: pair => items(pair.fallen) },
  ];
  return {
    title: 'Two models',
    nodes: [
      h('dl', { class: 'facts' }, h('dt', {}, 'This model'), h('dd', {}, name(about.path)), h('dt', {}, 'The earlier model'), h('dd', {}, name(about.other)), h('dt', {}, 'Topics'), h('dd', {}, answer.text),
        h('dt', {}, 'Items'), h('dd', {}, `${count(answer.summary.items_common)} in both, ${count(answer.summary.items_new)} new, ${count(answer.summary.items_gone)} gone`)),
      h('p', { class: 'note' }, `Distances are Hellinger's, from 0 to 1; beyond ${answer.summary.threshold} two topics are not the same.`),
      table({ caption: 'Topics of both models', columns, rows: answer.topics }).node,
    ],
  };
}
