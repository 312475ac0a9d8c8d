// Leads from addresses to views. The address is the part after #, so that the back button works and nothing is loaded again.

import { announce, count, h } from './dom.js';
import { model } from './model.js';
import { basketView } from './basket.js';
import { documentView } from './document.js';
import { itemView } from './item.js';
import { itemsView } from './items.js';
import { driftView, levelsView, trendsView } from './levels.js';
import { mapView } from './map.js';
import { steerView } from './steer.js';
import { topicView } from './topic.js';
import { topicsView } from './topics.js';

/**
 * @typedef {Object} Address
 * @property {string} view
 * @property {string} argument
 * @property {URLSearchParams} query
 */

/** The views by name: each fills an element and returns its title. @type {Object<string, (at: Address) => Promise<{title: string, nodes: Node[], wide?: boolean, shown?: () => void}>>} */
const views = { topics: topicsView, topic: topicView, items: itemsView, item: itemView, map: mapView, basket: basketView, document: documentView, drift: driftView, levels: levelsView, trends: trendsView, steer: steerView };

/** @returns {Address} */
function address() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [view, argument = ''] = path.split('/');
  return { view: view || 'topics', argument, query: new URLSearchParams(query) };
}

/** The links of the navigation; each belongs to the views that it names. */
async function navigation() {
  const about = await model.about();
  const links = [['#/topics', 'Topics', ['topics', 'topic']], ['#/items', 'Items', ['items', 'item']], ['#/map', 'Map', ['map']], ['#/basket', 'Basket', ['basket']], ['#/document', 'Document', ['document']]];
  if (about.levels > 1) links.splice(1, 0, ['#/levels', 'Levels', ['levels']]);
  if (about.trends) links.push(['#/trends', 'Trends', ['trends']]);
  if (about.other) links.push(['#/drift', 'Drift', ['drift']]);
  if (about.steers) links.push(['#/steer', 'Steer', ['steer']]);
  const at = address().view;
  links.push(['/report', 'Report', []]);
  document.getElementById('views').replaceChildren(...links.map(([href, title, of]) => h('a', { href, 'aria-current': of.includes(at) ? 'page' : null }, title)));
  document.getElementById('about').textContent = `${count(about.topics)} topics of ${count(about.items)} items in ${count(about.documents)} documents · ${about.path}`;
}

let turns = 0;

/** Shows the view of the address. */
async function show(moved) {
  if (location.hash === '#main') return; // the link that skips the navigation
  const turn = ++turns, at = address(), view = document.getElementById('view');
  view.setAttribute('aria-busy', 'true');
  let made;
  try {
    await navigation();
    made = await (views[at.view] ?? missing)(at);
  } catch (error) {
    made = { title: 'Something went wrong', nodes: [h('p', { class: 'problem' }, String(error instanceof Error ? error.message : error)), h('p', {}, h('a', { href: '#/topics' }, 'All topics'))] };
  }
  if (turn !== turns) return; // somebody has gone on meanwhile
  const heading = h('h1', { tabindex: '-1', id: 'heading' }, h('bdi', {}, made.title));
  view.setAttribute('aria-labelledby', 'heading');
  view.classList.toggle('wide', Boolean(made.wide));
  view.replaceChildren(heading, ...made.nodes);
  made.shown?.();
  view.removeAttribute('aria-busy');
  document.title = `${made.title} – Anchorage`;
  if (moved) {
    heading.focus({ preventScroll: true });
    scrollTo(0, 0);
    announce(made.title);
  }
}

const missing = async () => ({ title: 'There is nothing here', nodes: [h('p', {}, h('a', { href: '#/topics' }, 'All topics'))] });

// The token has done its work: a cookie has taken its place.
if (location.search) history.replaceState(null, '', location.pathname + location.hash);
addEventListener('hashchange', () => show(true));
addEventListener('keydown', event => { // "/" goes to the search of the view, or to that of all items
  if (event.key !== '/' || event.ctrlKey || event.altKey || event.metaKey || event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  const search = document.querySelector('#view input[type=search], #view input[role=combobox]');
  search ? search.focus() : location.assign('#/items');
});
addEventListener('explore-changed', () => { model.forget(); show(false); });
show(false);
