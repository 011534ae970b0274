// The operator's log and the timeline: two linked views of the same run.
import { store } from './store.js';
import { called, clock, el, foreign, plain, say } from './words.js';
import { items, lanes, root, seconds } from './lanes.js';
import { Timeline } from './timeline.js';

const LEVELS = ['ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'];
const SHOWN = 500;
let drawn;
let lane;
let paused;
let lines;
let words;
let level;
let reconcile;
let about;
let chosen = null;
let subject = '';
// The shape of the store for which the list of objects was built.
let offered;
let drawnEpoch;

const lead = (view) => document.dispatchEvent(new CustomEvent('go', { detail: { view } }));
// The details view selects the object that both views are restricted to.
document.addEventListener('subject', ({ detail }) => {
  subject = root(detail.uid);
  if (lane) lane.value = subject;
});

export const timeline = {
  begin(place) {
    const board = el('div');
    lane = el('select', { 'aria-label': 'Only this object', onchange: () => { subject = lane.value; redraw(); } });
    paused = el('button', { type: 'button', 'aria-pressed': 'false', onclick: () => pause(drawn.live) }, 'Pause');
    const jump = el('button', { type: 'button', onclick: first }, 'First error');
    const all = el('button', { type: 'button', onclick: () => { drawn.look(0, seconds(store.now) * 1.02 + 0.1); pause(true); } }, 'Whole run');
    const toLog = el('button', { type: 'button', onclick: () => { if (drawn.chosen?.id) { reconcile.value = drawn.chosen.id; lead('log'); } } }, 'Show in the log');
    place.append(el('div', { class: 'bar' }, lane, paused, jump, all, toLog, el('span', { class: 'quiet' }, 'wheel or + and − zoom, drag or arrows move, n and p select the next and previous event')), board);
    drawn = new Timeline(board, { live: true, paused: () => setTimeout(follows) });
    drawn.view = { from: -60, to: 0 };
  },
  draw(touched) {
    if (['reconcile', 'call', 'object', 'reset'].some((what) => touched.has(what))) redraw();
    follows();
  },
};

// Updates the button that shows whether the timeline follows the newest items.
function follows() {
  say(paused, drawn.live ? 'Pause' : 'Follow', { 'aria-pressed': String(!drawn.live) });
}

function pause(is) {
  drawn.live = !is;
  redraw();
  follows();
}

function first() {
  redraw();
  const item = drawn.first(['failure', 'failed']);
  if (!item) {
    drawn.says.textContent = 'No errors yet.';
    return;
  }
  drawn.look(item.from - 2, item.from + 3);
  drawn.choose(item);
}

function redraw() {
  choices();
  const before = drawn.chosen;
  drawn.show({ lanes: lanes(subject), items: items(), end: seconds(store.now) });
  // The items may be new objects: find the chosen one again by its key.
  if (before) drawn.chosen = drawn.data.items.find((item) => item.key === before.key) ?? null;
}

function choices() {
  if (offered === store.shape) return;
  offered = store.shape;
  const own = [...store.objects.values()].filter((object) => object.own);
  lane.replaceChildren(el('option', { value: '' }, 'All objects'), ...own.map((object) => el('option', { value: object.uid, selected: object.uid === subject }, plain(called(object), 100))));
}

export const log = {
  begin(place) {
    const again = () => this.draw(new Set(['reset']));
    words = el('input', { type: 'search', placeholder: 'Filter by text or object', 'aria-label': 'Filter lines', oninput: again });
    reconcile = el('input', { type: 'search', placeholder: 'Reconcile id', 'aria-label': 'Only this reconcile', oninput: again });
    level = el('select', { 'aria-label': 'Level', onchange: again }, LEVELS.map((one) => el('option', { value: one, selected: one === 'DEBUG' }, one)));
    const everything = el('button', { type: 'button', onclick: () => { subject = words.value = reconcile.value = lane.value = ''; chosen = null; again(); } }, 'All lines');
    lines = el('ol', { class: 'lines mono', 'aria-label': 'Lines' });
    about = el('span', { class: 'quiet' });
    place.append(el('div', { class: 'bar' }, words, level, reconcile, everything, about), lines);
  },
  draw(touched) {
    if (!['line', 'reset'].some((what) => touched.has(what))) return;
    const object = subject && store.objects.get(subject);
    say(about, object ? `only ${plain(called(object), 200)}` : '');
    const place = lines.parentElement;
    const atEnd = place.scrollTop + place.clientHeight >= place.scrollHeight - 40;
    const wanted = [...store.lines.values()].filter(matches).slice(-SHOWN);
    if (drawnEpoch !== store.epoch) lines.replaceChildren();
    drawnEpoch = store.epoch;
    fill(wanted);
    if (atEnd && chosen === null) place.scrollTop = place.scrollHeight;
  },
};

// Removes old lines at the top and inserts new ones; lines that stay are not touched.
function fill(wanted) {
  let at = lines.firstElementChild;
  const skip = () => {
    const next = at.nextElementSibling;
    at.remove();
    at = next;
  };
  for (const told of wanted) {
    while (at && Number(at.dataset.n) < told.n) skip();
    if (Number(at?.dataset.n) !== told.n) lines.insertBefore(draw(told), at);
    else at = at.nextElementSibling;
  }
  while (at) skip();
  lines.querySelector('.chosen')?.classList.remove('chosen');
  if (chosen !== null) lines.querySelector(`[data-n="${chosen}"]`)?.classList.add('chosen');
}

function matches(told) {
  const { line, uid } = told;
  if (LEVELS.indexOf(line.level) > LEVELS.indexOf(level.value)) return false;
  if (reconcile.value && line.span?.reconcile_id !== reconcile.value.trim()) return false;
  if (subject && (!uid || root(uid) !== subject)) return false;
  told.text ??= `${line.message} ${line.span?.object ?? ''} ${line.target} ${JSON.stringify(line.fields ?? {})}`.toLowerCase();
  return told.text.includes(words.value.toLowerCase());
}

function draw({ n, at, line }) {
  const fields = Object.entries(line.fields ?? {}).map(([name, value]) => `${name}=${value}`).join(' ');
  const color = { ERROR: 'bad', WARN: 'wait', INFO: 'ok' }[line.level] ?? 'quiet';
  const object = line.span?.object ? el('strong', {}, foreign(line.span.object, 260), ' ') : null;
  return el('li', { 'data-n': n }, el('button', { type: 'button', title: 'Show in the timeline', onclick: () => toTimeline(n) },
    el('span', { class: 'quiet' }, `${clock(at)} `), el('span', { class: color }, `${(line.level ?? '').padEnd(5)} `), object, foreign(line.message), ' ', el('span', { class: 'quiet' }, foreign(fields, 1000))));
}

function toTimeline(n) {
  const { at, line } = store.lines.get(n);
  chosen = n;
  lead('timeline');
  const id = line.span?.reconcile_id;
  setTimeout(() => {
    redraw();
    const from = seconds(at);
    drawn.look(from - 2, from + 2);
    drawn.choose(drawn.data.items.find((item) => item.id === id && item.key.startsWith('r')) ?? null);
    });
}
