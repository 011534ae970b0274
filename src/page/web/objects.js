// The tree of objects: those of the project's kinds, and below each what it owns.
import { store } from './store.js';
import { cause, el, foreign, state } from './words.js';

const rows = new Map();
// Those whose owner has no row yet.
const waiting = new Map();
let list;
let filter;
let troubled;
let empty;

function begin(place) {
  filter = el('input', { type: 'search', placeholder: 'Filter by kind, name or state', 'aria-label': 'Filter objects', oninput: all });
  troubled = el('input', { type: 'checkbox', id: 'troubled', onchange: all });
  list = el('ul', { class: 'tree', role: 'tree', 'aria-label': 'Objects' });
  empty = el('p', { class: 'quiet' }, 'Nothing has been seen yet.');
  list.addEventListener('keydown', walk);
  place.append(el('div', { class: 'bar' }, filter, el('label', { for: 'troubled' }, troubled, ' only what is not well')), empty, list);
}

function draw(touched) {
  if (touched.has('reset')) return all();
  if (touched.has('object')) for (const object of store.objects.values()) if (object.dirty) put(object);
  empty.hidden = store.objects.size > 0;
}

function all() {
  rows.clear();
  waiting.clear();
  list.replaceChildren();
  const sorted = [...store.objects.values()].sort((a, b) => b.own - a.own || a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name));
  sorted.forEach(put);
  empty.hidden = store.objects.size > 0;
}

// Puts the row of an object where it belongs, and draws it.
function put(object) {
  object.dirty = false;
  let row = rows.get(object.uid);
  if (!row) {
    const button = el('button', { type: 'button', class: 'row', role: 'treeitem', 'data-uid': object.uid, onclick: () => document.dispatchEvent(new CustomEvent('go', { detail: { uid: object.uid } })) });
    row = { item: el('li', { role: 'none' }, button), button, why: el('div'), below: el('ul', { role: 'group' }) };
    row.item.append(row.why);
    rows.set(object.uid, row);
  }
  const owner = object.parent && rows.get(object.parent);
  // Two that own each other are no tree.
  const above = owner && !row.item.contains(owner.item) ? owner : null;
  const parent = above ? above.below : list;
  if (above && !above.below.isConnected) above.item.append(above.below);
  if (row.item.parentNode !== parent) parent.append(row.item);
  row.button.replaceChildren(el('span', { class: 'quiet' }, foreign(object.kind, 80)), foreign(`${object.namespace ? `${object.namespace}/` : ''}${object.name}`, 260), object.gone ? el('span', { class: 'quiet' }, 'deleted') : state(object.state));
  row.item.classList.toggle('gone', object.gone);
  row.why.replaceChildren(...(object.cause ? [cause(object.cause)] : []));
  row.item.hidden = !matches(object);
  if (!row.item.hidden && filter.value) reveal(object);
  if (above || !object.parent) return adopt(object.uid);
  waiting.set(object.parent, [...(waiting.get(object.parent) ?? []), object.uid]);
  adopt(object.uid);
}

// A child may have been told before its owner.
function adopt(uid) {
  const children = waiting.get(uid) ?? [];
  waiting.delete(uid);
  for (const child of children) put(store.objects.get(child));
}

function matches(object) {
  const words = `${object.kind} ${object.namespace}/${object.name} ${object.state.word}`.toLowerCase();
  const isTroubled = object.cause || object.state.level === 'bad' || object.state.level === 'wait';
  return words.includes(filter.value.toLowerCase()) && (!troubled.checked || isTroubled);
}

function reveal(object) {
  for (let at = store.objects.get(object.parent); at; at = store.objects.get(at.parent)) {
    const row = rows.get(at.uid);
    if (row) row.item.hidden = false;
  }
}

// Up and down go from row to row.
function walk(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const all = [...list.querySelectorAll('.row')].filter((row) => row.offsetParent);
  all[all.indexOf(document.activeElement) + step]?.focus();
  event.preventDefault();
}

export const objects = { begin, draw };
