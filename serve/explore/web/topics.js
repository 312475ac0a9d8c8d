// The view of all topics.

import { get } from './api.js';
import { count, h, itemLink, percent, svg } from './dom.js';
import { model } from './model.js';
import { bar, itemList, table, topicLink } from './parts.js';

/** Returns the topics as areas by their shares, once for each width of the window. */
function picture(forms) {
  const area = a => svg('a', { href: `#${a.href}` }, svg('title', {}, a.tip), svg('svg', { x: a.x, y: a.y, width: a.wide, height: a.tall },
    svg('rect', { class: `area k${a.hue}`, width: '100%', height: '100%' }), a.lines.map(line => svg('text', { x: 7, y: line.y, class: line.class }, line.text))));
  return h('div', { class: 'treemap' }, forms.map(form => svg('svg', { class: form.name, viewBox: `0 0 ${form.wide} ${form.tall}`, role: 'group', 'aria-label': form.label }, form.areas.map(area))));
}

export async function topicsView() {
  const [topics, forms] = await Promise.all([model.topics(), get('picture')]);
  const most = Math.max(...topics.map(topic => topic.share), 1e-12);
  const columns = [
    { title: 'Topic', head: true, cell: topicLink, by: topic => topic.id },
    { title: 'Share', numeric: true, cell: topic => h('span', { class: `with-bar k${topic.hue}` }, bar(topic.share / most), percent(topic.share)), by: topic => topic.share },
    { title: 'Prominent items', cell: topic => h('span', { class: 'items' }, itemList(topic.prominent)) },
  ];
  if (topics.some(topic => topic.anchor)) {
    columns.push({ title: 'Anchor', cell: topic => topic.anchor && itemLink(topic.anchor), by: topic => topic.anchor?.name ?? '' });
  }
  if (topics.some(topic => topic.agreement !== null)) {
    columns.push({ title: 'By other documents', numeric: true, cell: topic => topic.agreement === null ? '' : `${percent(topic.agreement)} the same`, by: topic => topic.agreement ?? -1 });
  }
  const rows = [...topics].sort((a, b) => b.share - a.share);
  return {
    title: 'Topics',
    nodes: [
      h('p', { class: 'note' }, `${count(topics.length)} topics, the greatest share of all tokens first. A topic leads to its items and documents; topics that are alike have one colour.`),
      picture(forms),
      table({ caption: 'Topics with their shares and prominent items', columns, rows, sorted: { sort: 'Share', reverse: false } }).node,
    ],
  };
}
