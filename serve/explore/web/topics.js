// The view of all topics.

import { count, h, itemLink, percent } from './dom.js';
import { model } from './model.js';
import { bar, itemList, picture, table, topicLink } from './parts.js';

export async function topicsView() {
  const [topics, areas] = await Promise.all([model.topics(), picture('topics')]);
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
    columns.push({ title: 'The same by other documents', numeric: true, cell: topic => topic.agreement === null ? '' : percent(topic.agreement), by: topic => topic.agreement ?? -1 });
  }
  const rows = [...topics].sort((a, b) => b.share - a.share);
  return {
    title: 'Topics',
    nodes: [
      h('p', { class: 'note' }, `${count(topics.length)} topics, the greatest share of all tokens first. A topic leads to its items and documents; topics that are alike have one colour.`),
      ...areas,
      table({ caption: 'Topics with their shares and prominent items', columns, rows, sorted: { sort: 'Share', reverse: false } }).node,
      ...await picture('map'),
    ],
  };
}
