// Changing the topics: the buttons of other views, and the view of all that was done.

import { get, post } from './api.js';
import { announce, h, name, percent } from './dom.js';
import { model } from './model.js';
import { field, table } from './parts.js';

/**
 * Makes a step, and shows what became of the model. Returns whether it could be made.
 * @param {Object<string, any>} step as the server takes it, without the version of the model
 * @param {HTMLElement} problem shows why the step is impossible
 * @param {string} [then] the address to open next
 */
export async function steer(step, problem, then) {
  problem.replaceChildren();
  const path = step.undo ? 'steer/undo' : step.save ? 'steer/save' : 'steer';
  const body = step.undo || step.save ? {} : { ...step, version: (await model.about()).version };
  document.body.setAttribute('aria-busy', 'true');
  announce('Working…');
  let answer;
  try {
    answer = await post(path, body);
  } catch (error) {
    problem.replaceChildren(h('p', { class: 'problem', role: 'alert' }, String(error.message)));
    return false;
  } finally {
    document.body.removeAttribute('aria-busy');
  }
  announce(step.undo ? 'The last step was taken back' : step.save ? 'Saved' : `Done: ${answer.changes.filter(one => one.what !== 'same').length} topics differ from the model as it was`);
  if (then && location.hash !== then) {
    model.forget();
    location.hash = then;
  } else {
    dispatchEvent(new Event('explore-changed'));
  }
  return true;
}

/** The topics that steps change, before and after. @param {any[]} changes */
function changeTable(changes) {
  const rows = changes.filter(change => change.what !== 'same' || Math.abs(change.after - change.before) > 0.0005).sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before));
  const same = changes.length - rows.length;
  const columns = [
    { title: 'Topic', head: true, cell: row => h('span', {}, `${row.id} `, name(row.name)) },
    { title: 'Becomes', cell: row => row.what === 'same' ? 'almost the same' : row.what },
    { title: 'Distance', numeric: true, cell: row => row.what === 'new' || row.what === 'gone' ? '–' : row.distance.toFixed(2), by: row => row.distance },
    { title: 'Share', numeric: true, cell: row => `${percent(row.before)} → ${percent(row.after)}`, by: row => row.after - row.before },
    { title: 'Prominent', cell: row => {
      const [was, is] = [row.was, row.is].map(list => list.map(item => item.name).join(' · '));
      return h('span', {}, was && was !== is ? [h('s', { class: 'muted' }, name(was)), h('br')] : null, name(is));
    } },
  ];
  return [rows.length > 0 ? table({ caption: 'Topics before and after', columns, rows }).node : h('p', {}, 'No topic changes.'),
    h('p', { class: 'note' }, `${same === 1 ? '1 topic stays' : `${same} topics stay`} the same. Distances are from 0 to 1; up to 0.05 a topic is called the same.`)];
}

/**
 * Shows what a step would change, with a button that makes it.
 * @param {Object<string, any>} step as for steer
 * @param {HTMLElement} box gets the table, or why the step is impossible
 * @param {() => void} [done] is called when the step was made or given up
 */
export async function preview(step, box, done = () => {}) {
  box.replaceChildren(h('p', { class: 'note' }, 'Working out what this changes…'));
  document.body.setAttribute('aria-busy', 'true');
  let changes;
  try {
    changes = await post('steer/preview', { ...step, version: (await model.about()).version });
  } catch (error) {
    box.replaceChildren(h('p', { class: 'problem', role: 'alert' }, String(error.message)));
    return;
  } finally {
    document.body.removeAttribute('aria-busy');
  }
  const problem = h('div');
  const close = () => { box.replaceChildren(); done(); };
  box.replaceChildren(h('h3', { tabindex: '-1' }, 'What this would change'),
    ...changeTable(changes),
    h('div', { class: 'controls' },
      h('button', { type: 'button', class: 'main', click: async () => { if (await steer(step, problem)) close(); } }, 'Do it'),
      h('button', { type: 'button', click: close }, 'Leave it')),
    problem);
  box.querySelector('h3').focus({ preventScroll: true });
  box.scrollIntoView({ block: 'nearest' });
  announce(`${changes.filter(one => one.what !== 'same').length} topics would change`);
}

/** The buttons that change a topic. @param {import('./model.js').Topic} topic @param {import('./model.js').Topic[]} topics */
export function topicSteps(topic, topics) {
  const problem = h('div'), here = `#/topic/${topic.topic}`;
  const title = h('input', { type: 'text', maxlength: '200', autocomplete: 'off' });
  title.value = topic.name;
  const other = h('select', {}, topics.filter(one => one.topic !== topic.topic).map(one =>
    h('option', { value: one.topic }, one.label)));
  const submit = fn => event => { event.preventDefault(); fn(); };
  return h('section', { class: 'steps', 'aria-label': 'Change this topic' }, h('h2', {}, 'Change this topic'),
    h('form', { submit: submit(() => steer({ kind: 'name', topics: [topic.topic], name: title.value.trim() }, problem, here)) }, field('Name', title), h('button', { type: 'submit' }, 'Name it')),
    h('form', { submit: submit(() => steer({ kind: 'merge', topics: [topic.topic, Number(other.value)] }, problem, '#/steer')) }, field('Another topic', other), h('button', { type: 'submit' }, 'Merge the two')),
    h('div', { class: 'controls' },
      h('button', { type: 'button', click: () => steer({ kind: 'split', topics: [topic.topic] }, problem, '#/steer') }, 'Split it'),
      h('button', { type: 'button', click: () => steer({ kind: 'pin', topics: [topic.topic] }, problem, here) }, 'Pin it'),
      h('span', { class: 'note' }, 'A pinned topic survives when the model is learned again.')),
    problem);
}

/** The buttons that take an item out. @param {{item: number, name: string}} item */
export function itemSteps(item) {
  const problem = h('div'), here = `#/item/${item.item}`;
  return h('section', { class: 'steps', 'aria-label': 'Take this item out' }, h('h2', {}, 'Take this item out'),
    h('div', { class: 'controls' },
      h('button', { type: 'button', click: () => steer({ kind: 'ban', scope: 'anchor', items: [item.item] }, problem, here) }, 'Ban as an anchor'),
      h('button', { type: 'button', click: () => steer({ kind: 'ban', scope: 'item', items: [item.item] }, problem, here) }, 'Ban from all lists'),
      h('button', { type: 'button', click: () => steer({ kind: 'remove', items: [item.item] }, problem, '#/steer') }, 'Remove from the model')),
    problem);
}

/** The form that makes a topic of a basket. @param {() => {item: number}[]} basket @param {import('./model.js').Topic[]} topics */
export function basketSteps(basket, topics) {
  const problem = h('div');
  const which = h('select', {}, h('option', { value: '' }, 'a new topic'), topics.map(topic => h('option', { value: topic.topic }, topic.label)));
  const seed = event => {
    event.preventDefault();
    const items = basket().map(row => row.item);
    steer(which.value === '' ? { kind: 'seed', new: true, items } : { kind: 'seed', topics: [Number(which.value)], items }, problem, '#/steer');
  };
  return h('section', { class: 'steps', 'aria-label': 'Seed a topic with this basket' }, h('h2', {}, 'Seed a topic with this basket'),
    h('form', { submit: seed }, field('Topic', which, 'The mean row of the items becomes the corner of the topic, in place of one anchor.'), h('button', { type: 'submit' }, 'Seed it')), problem);
}

/**
 * What can be done with items that were selected on the map; each step is shown before it is made.
 * @param {number[]} items those of most evidence first
 * @param {(import('./model.js').Topic & {part: number})[]} among their topics, with the part of the items
 * @param {import('./model.js').Topic[]} topics
 */
export function selectionSteps(items, among, topics) {
  const would = h('div', { class: 'preview' }), few = items.slice(0, 100);
  const which = h('select', {}, h('option', { value: '' }, 'a new topic'), topics.map(topic => h('option', { value: topic.topic }, topic.label)));
  const boxes = among.map(topic => h('input', { type: 'checkbox', value: topic.topic, checked: topic.part >= 0.25 }));
  const submit = step => event => { event.preventDefault(); preview(step(), would); };
  const button = (text, step, note) => h('button', { type: 'button', title: note, click: () => preview(step, would) }, text);
  return h('div', { class: 'steps' },
    h('form', { submit: submit(() => ({ kind: 'merge', topics: boxes.filter(box => box.checked).map(box => Number(box.value)) })) },
      h('fieldset', {}, h('legend', {}, 'Their topics'), among.map((topic, at) => h('label', {}, boxes[at], h('i', { class: `swatch k${topic.hue}` }), name(topic.label), h('small', {}, percent(topic.part))))),
      among.length > 1 ? h('button', { type: 'submit' }, 'Merge those ticked…') : null),
    h('form', { submit: submit(() => which.value === '' ? { kind: 'seed', new: true, items: few } : { kind: 'seed', topics: [Number(which.value)], items: few }) },
      field(items.length > few.length ? `Make the first ${few.length} items the seed of` : 'Make them the seed of', which), h('button', { type: 'submit' }, 'Seed a topic…')),
    h('div', { class: 'controls' },
      button('Ban as anchors…', { kind: 'ban', scope: 'anchor', items }, 'No topic is found by these items'),
      button('Ban from lists…', { kind: 'ban', scope: 'item', items }, 'No list shows these items')),
    would);
}

/** The view of all steps. */
export async function steerView() {
  const done = await get('steer');
  const problem = h('div'), would = h('div');
  const line = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' });
  const form = h('form', { submit: event => { event.preventDefault(); steer({ line: line.value }, problem); } },
    field('A step as a line of a script', line, 'Topics by their names or numbers; what has spaces in double quotes.'), h('div', { class: 'controls' }, h('button', { type: 'submit' }, 'Make this step'), h('button', { type: 'button', click: () => preview({ line: line.value }, would, () => line.focus()) }, 'What would it change?')),
    h('ul', { class: 'usages', 'aria-label': 'How steps are written' }, done.usages.map(usage => h('li', {}, h('code', {}, usage)))));
  const changed = done.steps.length > 0;
  const save = done.output
    ? h('button', { type: 'button', class: 'main', disabled: !changed || done.saved, click: () => steer({ save: true }, problem) }, done.saved ? 'Saved' : 'Save the model')
    : h('span', { class: 'note' }, 'To save the model, start with -o, or run anchorage steer with the script.');
  return {
    title: 'Steer',
    nodes: [
      h('p', { class: 'note' }, 'What a person knows and counts do not: name, merge, split and pin topics where they are shown, seed one with a basket, and take items out. Nothing is written before you save.'),
      changed ? h('ol', { class: 'script', 'aria-label': 'Steps so far' }, done.steps.map(step => h('li', {}, h('code', {}, name(step))))) : h('p', {}, 'Nothing was changed so far.'),
      h('div', { class: 'controls' },
        h('button', { type: 'button', disabled: !changed, click: () => steer({ undo: true }, problem) }, 'Undo the last step'),
        changed ? h('a', { href: '/api/steer/script', download: 'steer.txt' }, 'Download the script') : null,
        save, done.output ? h('span', { class: 'note' }, 'to ', name(done.output)) : null),
      ...(changed ? [h('h2', {}, 'What the steps changed'), ...changeTable(done.changes)] : []), problem, form, would,
    ],
  };
}
