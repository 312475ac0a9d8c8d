// Makes elements. Text only ever becomes text: nothing here, or elsewhere in this folder, parses HTML.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Returns an element. An attribute whose value is null, undefined or false is left out; a function is a listener of the event that
 * the attribute names.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * Returns an element of SVG, as h does.
 * @param {string} tag
 * @param {Object<string, any>} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {SVGElement}
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) node.append(typeof child === 'number' ? String(child) : child);
  }
  return node;
}

/** Returns a name from data, whose direction of writing does not reach beyond it. @param {string} text */
export const name = text => h('bdi', {}, text);

/** Returns a link to an item. @param {{item: number, name: string}} item */
export const itemLink = item => h('a', { href: `#/item/${item.item}` }, name(item.name));

/** Tells people who do not see the page what happened. @param {string} text */
export function announce(text) {
  document.getElementById('status').textContent = text;
}

const whole = new Intl.NumberFormat('en');
/** @param {number} n */
export const count = n => whole.format(n);

/** Returns a share of 0 to 1 in percent. @param {number} share */
export function percent(share) {
  if (share <= 0) return '0%';
  if (share < 0.0001) return '<0.01%';
  return `${(100 * share).toFixed(share < 0.01 ? 2 : 1)}%`;
}

/** Returns a number with three digits. @param {number} v */
export function number(v) {
  if (v === 0) return '0';
  return Math.abs(v) >= 1000 || Math.abs(v) < 0.001 ? v.toExponential(1) : v.toPrecision(3);
}

let ids = 0;
/** Returns an id that no element has. @param {string} kind */
export const freshID = kind => `${kind}-${++ids}`;
