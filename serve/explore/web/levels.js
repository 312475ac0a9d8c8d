// The views of pictures of the report: topics within topics, topics over time, and what became of earlier topics.

import { h, name } from './dom.js';
import { model } from './model.js';
import { picture } from './parts.js';

const empty = text => h('p', { class: 'note' }, text);

export async function levelsView() {
  const nodes = await picture('levels');
  return { title: 'Topics within topics', nodes: nodes.length > 0 ? nodes : [empty('The model has one level: anchorage fit --levels makes several.')] };
}

export async function trendsView() {
  const nodes = await picture('trends');
  return { title: 'Topics over time', nodes: nodes.length > 0 ? nodes : [empty('No two periods are known for the topics as they are: give anchorage explore the documents of transform --time-column, as --trends, and a shorter period, as --by.')] };
}

export async function driftView() {
  const [nodes, about] = await Promise.all([picture('drift'), model.about()]);
  return { title: 'What became of earlier topics', nodes: nodes.length > 0 ? [h('p', { class: 'muted' }, 'Compared with ', name(about.other)), ...nodes] : [empty('No earlier model is known: give anchorage explore one, as --compare.')] };
}
