// The view of a basket: items that somebody puts in, what goes with them, and what they are about.

import { get, latest, post } from './api.js';
import { announce, h, itemLink } from './dom.js';
import { finder } from './finder.js';
import { complements } from './item.js';
import { model } from './model.js';
import { mixture } from './parts.js';
import { basketSteps } from './steer.js';

export async function basketView({ query }) {
  const [topics, about] = await Promise.all([model.topics(), model.about()]);
  const wanted = (query.get('items') ?? '').split(',').filter(Boolean).slice(0, 100);
  /** @type {{item: number, name: string}[]} */
  const basket = await Promise.all(wanted.map(item => get(`items/${encodeURIComponent(item)}`)));
  const chips = h('ul', { class: 'chips', 'aria-label': 'Items in the basket' }), results = h('div', { 'aria-live': 'off' });

  function add(row) {
    if (!basket.some(one => one.item === row.item)) basket.push(row);
    announce(`${row.name} is in the basket`);
    update();
  }
  function remove(row) {
    basket.splice(basket.indexOf(row), 1);
    announce(`${row.name} is out of the basket`);
    update();
    (chips.querySelector('button') ?? document.querySelector('.finder input'))?.focus();
  }
  const complete = latest(async signal => {
    if (basket.length === 0) return results.replaceChildren(h('p', { class: 'note' }, 'The basket is empty: type the beginning of a name, and choose an item.'));
    const answer = await post('basket', { items: basket.map(one => one.item), n: 20 }, signal);
    results.replaceChildren(h('h2', {}, 'What goes with it'),
      complements('Items that go with the basket', answer.with, row => h('button', { type: 'button', 'aria-label': `Add ${row.name}`, click: () => add(row) }, 'Add')),
      h('h2', {}, 'What it is about'), mixture(answer.topics, topics), about.steers ? basketSteps(() => basket, topics) : '');
  });
  function update() {
    chips.replaceChildren(...basket.map(row => h('li', {}, itemLink(row), h('button', { type: 'button', 'aria-label': `Remove ${row.name}`, click: () => remove(row) }, '×'))));
    const items = basket.map(row => row.item).join(',');
    history.replaceState(null, '', `#/basket${items && '?items=' + items}`);
    return complete();
  }
  await update();
  return { title: 'Basket', nodes: [finder('Add an item', add), chips, results] };
}
