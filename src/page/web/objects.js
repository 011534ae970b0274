// The tree of objects: objects of the project's kinds at the top, and below each the objects that it owns.
import { store } from './store.js';
import { called, cause, el, foreign, say, state } from './words.js';

const rows = new Map();
// Uids of objects whose owner has no row yet, by the uid of the owner.
const waiting = new Map();
const collapsed = new Set();
let drawn;
let list;
let filter;
let troubled;
let gone;
let goneCount;
let count;
let empty;

function begin(place) {
  filter = el('input', { type: 'search', placeholder: 'Filter by kind, name or state', 'aria-label': 'Filter objects', oninput: sieve });
  troubled = el('input', { type: 'checkbox', id: 'troubled', onchange: sieve });
  gone = el('input', { type: 'checkbox', id: 'gone', checked: true, onchange: sieve });
  goneCount = el('span');
  count = el('span', { role: 'status' });
  list = el('ul', { class: 'tree', role: 'tree', 'aria-label': 'Objects', onkeydown: walk, onfocusin: (event) => roam(event.target.closest('[role=treeitem]')) });
  empty = el('p', { class: 'quiet' }, 'No objects yet: objects of the project\'s kinds appear here.');
  place.append(el('div', { class: 'bar' }, filter, el('label', { for: 'troubled' }, troubled, ' only unhealthy objects'), el('label', { for: 'gone' }, gone, goneCount), count), empty, list);
}

function draw() {
  if (drawn !== store.epoch) anew();
  for (const uid of store.fresh) put(store.objects.get(uid));
  store.fresh.clear();
  empty.hidden = store.objects.size > 0;
  const deleted = [...store.objects.values()].filter((object) => object.gone).length;
  say(goneCount, ` deleted objects (${deleted})`);
  const own = [...store.objects.values()].filter((object) => object.own && !object.gone);
  const ill = own.filter(isTroubled).length;
  const says = own.length ? `${ill ? `▲ ${ill}` : '● none'} of ${own.length} unhealthy` : '';
  if (count.textContent !== says) count.textContent = says;
  count.className = ill ? 'bad' : 'ok';
}

// Rebuilds the tree. Objects that need attention come first.
function anew() {
  drawn = store.epoch;
  rows.clear();
  waiting.clear();
  list.replaceChildren();
  const key = (object) => `${object.own ? 0 : 1}${isTroubled(object) ? 0 : 1}${object.kind}/${object.namespace}/${object.name}`;
  const sorted = [...store.objects.values()].map((object) => [key(object), object]).sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [, object] of sorted) put(object);
  store.fresh.clear();
}

function row(object) {
  const { uid } = object;
  const twist = el('span', { class: 'twist', 'aria-hidden': 'true', onclick: (event) => { event.stopPropagation(); fold(uid, !collapsed.has(uid)); } });
  const line = el('div', { class: 'row', onclick: () => open(uid) });
  const made = { line, twist, why: el('div'), below: el('ul', { role: 'group' }) };
  made.item = el('li', { role: 'treeitem', tabindex: list.querySelector('[tabindex="0"]') ? -1 : 0, 'data-uid': uid }, line, made.why);
  rows.set(uid, made);
  return made;
}

// Draws the row of an object in its place in the tree.
function put(object) {
  const made = rows.get(object.uid) ?? row(object);
  const owner = object.parent && rows.get(object.parent);
  // Objects that own each other do not form a tree.
  const above = owner && !made.item.contains(owner.item) ? owner : null;
  const parent = above ? above.below : list;
  if (made.item.parentNode !== parent) parent.append(made.item);
  if (above && !above.below.isConnected) {
    above.item.append(above.below);
    unfold(object.parent, above);
  }
  const how = object.gone ? 'deleted' : object.state.word;
  made.item.setAttribute('aria-label', plainly(object, how));
  made.line.replaceChildren(made.twist, el('span', { class: 'quiet' }, foreign(object.kind, 80)), foreign(`${object.namespace ? `${object.namespace}/` : ''}${object.name}`, 260), object.gone ? el('span', { class: 'state quiet' }, 'deleted') : state(object.state));
  made.item.classList.toggle('gone', object.gone);
  const why = JSON.stringify(object.cause);
  if (made.told !== why) made.why.replaceChildren(...(object.cause ? [cause(object.cause)] : []));
  made.told = why;
  made.item.hidden = !matches(object);
  if (!made.item.hidden && isSieved()) reveal(object);
  if (!above && object.parent) waiting.set(object.parent, (waiting.get(object.parent) ?? new Set()).add(object.uid));
  // A child may arrive before its owner.
  const children = waiting.get(object.uid);
  waiting.delete(object.uid);
  for (const child of children ?? []) put(store.objects.get(child));
}

const plainly = (object, how) => `${called(object).slice(0, 300)}: ${how.slice(0, 100)}${object.cause ? `, ${object.cause.says.slice(0, 300)}` : ''}`;
const isTroubled = (object) => Boolean(object.cause) || object.state.level === 'bad' || object.state.level === 'wait';
const isSieved = () => filter.value !== '' || troubled.checked || !gone.checked;

function matches(object) {
  const words = `${object.kind} ${object.namespace}/${object.name} ${object.gone ? 'deleted' : object.state.word}`.toLowerCase();
  return words.includes(filter.value.toLowerCase()) && (gone.checked || !object.gone) && (!troubled.checked || (isTroubled(object) && !object.gone));
}

function sieve() {
  for (const object of store.objects.values()) {
    const made = rows.get(object.uid);
    if (made) made.item.hidden = !matches(object);
  }
  if (isSieved()) for (const object of store.objects.values()) if (matches(object)) reveal(object);
}

// Shows all ancestors of an object that matches the filter.
function reveal(object) {
  for (let at = rows.get(object.parent)?.item; at && at !== list; at = at.parentElement) at.hidden = false;
}

function open(uid) {
  roam(rows.get(uid)?.item);
  document.dispatchEvent(new CustomEvent('go', { detail: { uid } }));
}

function fold(uid, is) {
  if (is) collapsed.add(uid);
  else collapsed.delete(uid);
  unfold(uid, rows.get(uid));
}

// Updates the row to show whether its children are visible.
function unfold(uid, made) {
  const is = collapsed.has(uid);
  made.below.hidden = is;
  made.item.setAttribute('aria-expanded', String(!is));
  made.twist.textContent = is ? '▸' : '▾';
}

// Only one row can be reached with Tab; the arrow keys move between rows.
function roam(item) {
  if (!item) return;
  list.querySelectorAll('[tabindex="0"]').forEach((one) => { one.tabIndex = -1; });
  item.tabIndex = 0;
}

function walk(event) {
  const item = event.target;
  if (item.role !== 'treeitem' || event.ctrlKey || event.metaKey || event.altKey) return;
  const { uid } = item.dataset;
  const expanded = item.getAttribute('aria-expanded');
  const all = () => [...list.querySelectorAll('[role=treeitem]')].filter((one) => one.checkVisibility());
  const step = (by) => { const shown = all(); return shown[shown.indexOf(item) + by]; };
  const actions = {
    ArrowDown: () => step(1), ArrowUp: () => step(-1), Home: () => all()[0], End: () => all().at(-1),
    ArrowLeft: () => (expanded === 'true' ? fold(uid, true) : item.parentElement.closest('[role=treeitem]')),
    ArrowRight: () => (expanded === 'false' ? fold(uid, false) : expanded && step(1)),
    Enter: () => open(uid), ' ': () => open(uid),
  };
  const action = actions[event.key];
  if (!action) return;
  action()?.focus?.();
  event.preventDefault();
}

export const objects = { begin, draw };
