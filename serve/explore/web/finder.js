// A field that finds an item while its name is typed: the combobox of the ARIA Authoring Practices, with a list that it opens.

import { get, latest } from './api.js';
import { announce, count, freshID, h, name } from './dom.js';

/**
 * @param {string} label
 * @param {(item: {item: number, name: string}) => void} choose is called with the item that was chosen
 * @returns {HTMLElement}
 */
export function finder(label, choose) {
  const list = h('ul', { role: 'listbox', id: freshID('list'), class: 'found', hidden: true, 'aria-label': label });
  const input = h('input', { type: 'text', role: 'combobox', id: freshID('finder'), autocomplete: 'off', spellcheck: 'false', 'aria-autocomplete': 'list', 'aria-expanded': 'false', 'aria-controls': list.id });
  /** @type {any[]} */
  let rows = [];
  let at = -1;

  function close() {
    look.abandon(); // a late answer would open the list again
    list.hidden = true;
    at = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  }
  function take(row) {
    input.value = '';
    close();
    choose(row);
    input.focus();
  }
  function move(to) {
    at = rows.length === 0 ? -1 : (to + rows.length) % rows.length;
    [...list.children].forEach((option, i) => option.setAttribute('aria-selected', String(i === at)));
    const option = list.children[at];
    if (option) {
      input.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    }
  }
  const look = latest(async signal => {
    const search = input.value.trim();
    if (!search) return close();
    const answer = await get('items', { search, n: 10 }, signal);
    rows = answer.rows;
    list.replaceChildren(...rows.map(row => h('li', { role: 'option', id: freshID('option'), 'aria-selected': 'false', mousedown: event => { event.preventDefault(); take(row); } },
      name(row.name), ' ', h('small', { class: 'muted' }, `${count(row.documents)} documents`))));
    at = -1;
    list.hidden = rows.length === 0;
    input.setAttribute('aria-expanded', String(rows.length > 0));
    announce(`${count(answer.total)} items found`);
  });
  input.addEventListener('input', () => look());
  input.addEventListener('blur', close);
  input.addEventListener('keydown', event => {
    switch (event.key) {
      case 'ArrowDown': list.hidden ? look() : move(at + 1); break;
      case 'ArrowUp': move(at < 0 ? -1 : at - 1); break;
      case 'Enter': if (!list.hidden && rows.length > 0) take(rows[Math.max(at, 0)]); break;
      case 'Escape': look.abandon(); if (list.hidden) return; close(); break;
      default: return;
    }
    event.preventDefault();
  });
  return h('div', { class: 'field finder' }, h('label', { for: input.id }, label), input, list);
}
