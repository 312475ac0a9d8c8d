// The view of a document that somebody types: its topics, and which of its words the model knows.

import { post } from './api.js';
import { announce, count, h, name, percent } from './dom.js';
import { model } from './model.js';
import { field, mixture, tinted, words } from './parts.js';

/** The last text, for people who come back to this view. */
let typed = '';

export async function documentView() {
  const topics = await model.topics();
  const text = h('textarea', { rows: '8', spellcheck: 'false' });
  text.value = typed;
  const results = h('div');
  async function find(event) {
    event.preventDefault();
    typed = text.value;
    let answer;
    try {
      answer = await post('document', { text: typed });
    } catch (error) {
      results.replaceChildren(h('p', { class: 'problem', role: 'alert' }, error.message));
      return;
    }
    announce(`${count(answer.known)} known tokens`);
    const own = answer.topics[0]?.topic, shown = tinted(typed, answer.items, topics, own);
    const links = new Set(shown.map(part => part.hash)); // a line that is the name of an item may not be a word of the text
    const others = answer.items.filter(item => !links.has(`#/item/${item.item}`));
    results.replaceChildren(
      h('h2', {}, 'Topics'),
      answer.known > 0 ? mixture(answer.topics, topics) : h('p', {}, 'The model knows none of this.'),
      h('p', { class: 'note' }, `${count(answer.known)} known tokens, ${count(answer.missing)} unknown`, answer.known > 0 ? `; the share of the first topic is known to ± ${percent(answer.deviation)}.` : '.'),
      h('h2', {}, 'Words by topic'),
      h('p', { class: 'words text' }, shown),
      others.length > 0 ? h('p', { class: 'words' }, words(others, topics, own)) : '',
      answer.unknown.length > 0 ? h('p', { class: 'note' }, 'Unknown: ', name(answer.unknown.join(' · ')), answer.missing > answer.unknown.length ? ' …' : '') : '');
  }
  const form = h('form', { submit: find }, field('Text, or items line by line', text, 'A line that is the name of an item is that item; other lines are cut into words.'), h('button', { type: 'submit', class: 'main' }, 'Find its topics'));
  return { title: 'Document', nodes: [form, results] };
}
