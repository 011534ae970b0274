// The details of one object: why it is not Ready, its conditions and Events, and all its observed states.
import { ask, store } from './store.js';
import { called, cause, clock, copy, duration, el, foreign, plain, state } from './words.js';

let place;
let open;
// The object as it was last drawn.
let drawn;
let told;
let before;
let from;
let to;

function begin(element) {
  place = element;
}

async function show(uid) {
  if (!open) before = document.activeElement;
  if (open !== uid) [from, to, told] = [undefined, undefined, undefined];
  open = uid;
  place.hidden = false;
  await refresh();
  place.focus();
}

function close() {
  if (!open) return;
  open = undefined;
  place.hidden = true;
  before?.focus();
}

async function refresh() {
  const uid = open;
  try {
    told = await ask({ uid });
  } catch (error) {
    told = { states: [], yaml: String(error), kubectl: '' };
  }
  if (uid === open) render();
}

function draw(touched) {
  if (!open || !['object', 'reset'].some((what) => touched.has(what))) return;
  const object = store.objects.get(open);
  if (object === drawn) return;
  if (!object || object.at !== told?.states.at(-1)?.at) refresh();
  else render();
}

function render() {
  const object = store.objects.get(open);
  if (!object || !told) return;
  // Do not redraw while a list is open: that would close it.
  if (place.contains(document.activeElement) && document.activeElement.tagName === 'SELECT') return;
  drawn = object;
  const top = place.scrollTop;
  place.replaceChildren(
    el('h2', {}, foreign(called(object), 300), ' ', object.gone ? 'deleted' : state(object.state)),
    el('div', { class: 'bar' },
      el('button', { type: 'button', onclick: close }, 'Close'),
      el('button', { type: 'button', onclick: () => lead('timeline') }, 'In the timeline'),
      el('button', { type: 'button', onclick: () => lead('log') }, 'In the log')),
    object.cause ? cause(object.cause) : object.state.says ? el('p', {}, foreign(object.state.says)) : '',
    object.cause?.to_blame ? el('button', { type: 'button', onclick: () => show(object.cause.to_blame) }, 'Show the cause') : '',
    ...conditions(object), ...events(object), ...states(), ...yaml());
  place.scrollTop = top;
}

function lead(view) {
  document.dispatchEvent(new CustomEvent('subject', { detail: { uid: open } }));
  document.dispatchEvent(new CustomEvent('go', { detail: { view } }));
}

function table(caption, heads, rows) {
  if (!rows.length) return [];
  return [el('h3', {}, caption), el('table', {}, el('thead', {}, el('tr', {}, heads.map((head) => el('th', { scope: 'col' }, head)))), el('tbody', {}, rows.map((row) => el('tr', {}, row.map((cell) => el('td', {}, cell))))))];
}

function conditions(object) {
  const age = (at) => (at ? duration(Math.max(0, store.now - at)) : '');
  return table('Conditions', ['Type', 'Status', 'Reason', 'Message', 'Age'], object.conditions.map((one) => [foreign(one.type, 100), foreign(one.status, 20), foreign(one.reason, 200), foreign(one.message), age(one.at)]));
}

function events(object) {
  const sorted = [...object.events].sort((a, b) => (b.at ?? 0) - (a.at ?? 0));
  return table('Events', ['Type', 'Reason', 'Message', 'Times', 'Last'], sorted.map((one) => [el('span', { class: one.type === 'Warning' ? 'bad' : '' }, foreign(one.type, 20)), foreign(one.reason, 100), foreign(one.message), String(one.count), one.at ? clock(one.at) : '']));
}

// Returns a choice of two states and the difference between them.
function states() {
  const all = told.states;
  if (!all.length) return [];
  if (all.length === 1) return [el('h3', {}, 'Changes'), el('p', { class: 'quiet' }, `No changes since the page first saw the object${all[0].by.length ? `; fields set by ${plain(all[0].by.join(', '), 200)}` : ''}.`)];
  const last = all.at(-1).n;
  const choice = (label, value, choose) => el('select', { 'aria-label': label, onchange: (event) => choose(Number(event.target.value)) },
    all.map((one) => el('option', { value: one.n, selected: one.n === value }, `${clock(one.at)} ${one.change}${one.by.length ? ` by ${plain(one.by.join(', '), 80)}` : ''}`)));
  const known = (number) => all.some((one) => one.n === number);
  const first = known(from) ? from : Math.max(all[0].n, last - 1);
  const second = known(to) ? to : last;
  const shown = el('div', { id: 'difference' });
  differ(shown, first, second);
  return [el('h3', {}, `Changes (${all.length} states)`),
    el('div', { class: 'bar' },
      el('label', {}, 'from ', choice('From the state', first, (n) => { from = n; differ(shown, n, to ?? last); })),
      el('label', {}, 'to ', choice('To the state', second, (n) => { to = n; differ(shown, from ?? first, n); }))),
    shown];
}

async function differ(shown, first, second) {
  const uid = open;
  try {
    const { diff, by } = await ask({ uid, from: first, to: second });
    const lines = diff.split('\n').slice(2).filter((line) => line).map((line) => el('span', { class: line[0] === '+' ? 'added' : line[0] === '-' ? 'removed' : '' }, `${plain(line)}\n`));
    const who = by.length ? el('p', {}, 'Changed by ', foreign(by.join(', '), 400)) : el('p', { class: 'quiet' }, 'No field manager changed a field.');
    shown.replaceChildren(who, el('pre', {}, lines.length > 0 ? lines : 'no difference'));
  } catch (error) {
    shown.replaceChildren(el('p', { class: 'bad' }, foreign(error.message)));
  }
}

function yaml() {
  return [el('h3', {}, 'YAML'), el('p', {}, el('code', {}, foreign(told.kubectl, 1000)), ' ', copy(told.kubectl)), el('pre', {}, foreign(told.yaml, 400000))];
}

export const detail = { begin, draw, open: show, close };
