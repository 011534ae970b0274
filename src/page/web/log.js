// The operator's log and the timeline: two views of the same, each leads to the other.
import { store } from './store.js';
import { called, clock, el, foreign, plain } from './words.js';
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
let chosen = null;
let subject = '';

const lead = (view) => document.dispatchEvent(new CustomEvent('go', { detail: { view } }));
// Seconds since the first thing that was seen.
const origin = () => store.begin ?? 0;
const seconds = (at) => (at - origin()) / 1e6;

// What both are about, as the object that is open says.
document.addEventListener('subject', ({ detail }) => {
  subject = root(detail.uid);
  if (lane) lane.value = subject;
});

function root(uid) {
  let at = uid;
  for (let deep = 0; deep < 20 && store.objects.get(at)?.parent; deep += 1) at = store.objects.get(at).parent;
  return at;
}

function began() {
  if (store.begin) return;
  const starts = [store.reconciles, store.calls, store.lines].map((map) => map.values().next().value);
  const times = [...starts.map((one) => one?.at ?? one?.start), store.changes[0]?.at].filter((at) => at);
  if (times.length) store.begin = Math.min(...times);
}

export const timeline = {
  begin(place) {
    const board = el('div');
    lane = el('select', { 'aria-label': 'Only this object', onchange: () => { subject = lane.value; redraw(); } });
    paused = el('button', { type: 'button', 'aria-pressed': 'false', onclick: () => pause(drawn.live) }, 'Pause');
    const jump = el('button', { type: 'button', onclick: first }, 'First error');
    const all = el('button', { type: 'button', onclick: () => { drawn.look(0, seconds(store.now) * 1.02 + 0.1); pause(true); } }, 'All of it');
    const toLog = el('button', { type: 'button', onclick: () => { if (drawn.chosen?.id) { reconcile.value = drawn.chosen.id; lead('log'); } } }, 'Its lines in the log');
    place.append(el('div', { class: 'bar' }, lane, paused, jump, all, toLog, el('span', { class: 'quiet' }, 'wheel or + and − zoom, drag or arrows move, n and p go from event to event')), board);
    drawn = new Timeline(board, { live: true });
    drawn.view = { from: -60, to: 0 };
  },
  draw(touched) {
    if (['reconcile', 'call', 'object', 'reset'].some((what) => touched.has(what))) redraw();
    paused.textContent = drawn.live ? 'Pause' : 'Follow';
    paused.setAttribute('aria-pressed', String(!drawn.live));
  },
};

function pause(is) {
  drawn.live = !is;
  redraw();
  timeline.draw(new Set());
}

function first() {
  redraw();
  const item = drawn.first(['failure', 'failed']);
  if (!item) {
    drawn.says.textContent = 'No error has been seen.';
    return;
  }
  drawn.look(item.from - 2, item.from + 3);
  drawn.choose(item);
  timeline.draw(new Set());
}

// The lanes: the project's objects, each with what is below it.
function redraw() {
  began();
  if (drawn.live || !drawn.data.lanes.length) choices();
  const all = [...store.objects.values()];
  const below = new Map();
  for (const object of all) below.set(object.parent, [...(below.get(object.parent) ?? []), object]);
  const lanes = [];
  const add = (object, deep) => {
    lanes.push({ id: object.uid, label: `${'  '.repeat(deep)}${plain(called(object), 100)}` });
    (below.get(object.uid) ?? []).forEach((child) => add(child, deep + 1));
  };
  const roots = all.filter((object) => !object.parent || !store.objects.has(object.parent));
  roots.filter((object) => !subject || object.uid === subject).sort((a, b) => b.own - a.own || a.name.localeCompare(b.name)).forEach((object) => add(object, 0));
  const before = drawn.chosen;
  drawn.show({ lanes, items: items(), end: seconds(store.now) });
  // What is drawn is new each time; what is chosen stays.
  if (before) drawn.chosen = drawn.data.items.find((item) => item.key === before.key) ?? null;
}

function items() {
  const items = [];
  for (const { n, uid, id, start, end, outcome, cause, error, failures, retry } of store.reconciles.values()) {
    const kind = { ok: 'ok', failed: 'failure', running: 'running' }[outcome] ?? 'late';
    const why = error ? `: ${plain(error, 1000)}` : '';
    items.push({ key: `r${n}`, lane: uid, id, from: seconds(start), to: seconds(end ?? store.now), kind, text: `reconcile ${outcome} (cause: ${plain(cause, 200)})${why}` });
    if (retry) items.push({ key: `w${n}`, lane: uid, id, from: seconds(end), to: seconds(retry), kind: 'waiting', text: `waits to try again after ${failures} failures` });
  }
  for (const { n, at, uid, call, writes } of store.calls.values()) {
    if (!uid || (!writes && call.code < 400)) continue;
    const kind = call.code >= 400 ? 'failed' : 'write';
    items.push({ key: `c${n}`, lane: uid, from: seconds(at), kind, text: `${call.verb} ${call.resource} ${plain(call.name, 253)}: ${call.code}, ${(call.took / 1000).toFixed(1)} ms ${plain(call.message, 500)}` });
  }
  store.changes.forEach(({ at, uid, change, by }) => items.push({ key: `o${at}${uid}`, lane: uid, from: seconds(at), kind: 'news', text: `${change}${by?.length ? ` by ${plain(by.join(', '), 200)}` : ''}` }));
  return items;
}

function choices() {
  const own = [...store.objects.values()].filter((object) => object.own);
  if (lane.options.length === own.length + 1) return;
  lane.replaceChildren(el('option', { value: '' }, 'All objects'), ...own.map((object) => el('option', { value: object.uid, selected: object.uid === subject }, plain(called(object), 100))));
}

export const log = {
  begin(place) {
    const again = () => this.draw(new Set(['reset']));
    words = el('input', { type: 'search', placeholder: 'Filter by text or object', 'aria-label': 'Filter lines', oninput: again });
    reconcile = el('input', { type: 'search', placeholder: 'Reconcile id', 'aria-label': 'Only this reconcile', oninput: again });
    level = el('select', { 'aria-label': 'Level', onchange: again }, LEVELS.map((one) => el('option', { value: one, selected: one === 'DEBUG' }, one)));
    const everything = el('button', { type: 'button', onclick: () => { subject = words.value = reconcile.value = ''; again(); } }, 'All lines');
    lines = el('ol', { class: 'lines mono', 'aria-label': 'Lines' });
    place.append(el('div', { class: 'bar' }, words, level, reconcile, everything), lines);
  },
  draw(touched) {
    if (!['line', 'reset'].some((what) => touched.has(what))) return;
    const place = lines.parentElement;
    const atEnd = place.scrollTop + place.clientHeight >= place.scrollHeight - 40;
    const wanted = [...store.lines.values()].filter(matches).slice(-SHOWN);
    const known = new Map([...lines.children].map((item) => [Number(item.dataset.n), item]));
    lines.replaceChildren(...wanted.map((told) => known.get(told.n) ?? draw(told)));
    for (const item of lines.children) item.classList.toggle('chosen', Number(item.dataset.n) === chosen);
    if (atEnd && chosen === null) place.scrollTop = place.scrollHeight;
  },
};

function matches({ line, uid }) {
  if (LEVELS.indexOf(line.level) > LEVELS.indexOf(level.value)) return false;
  if (reconcile.value && line.span?.reconcile_id !== reconcile.value.trim()) return false;
  if (subject && (!uid || root(uid) !== subject)) return false;
  const text = `${line.message} ${line.span?.object ?? ''} ${line.target} ${JSON.stringify(line.fields ?? {})}`;
  return text.toLowerCase().includes(words.value.toLowerCase());
}

function draw({ n, at, line }) {
  const fields = Object.entries(line.fields ?? {}).map(([name, value]) => `${name}=${value}`).join(' ');
  const color = { ERROR: 'bad', WARN: 'wait', INFO: 'ok' }[line.level] ?? 'quiet';
  const object = line.span?.object ? el('strong', {}, foreign(line.span.object, 260), ' ') : null;
  return el('li', { 'data-n': n }, el('button', { type: 'button', title: 'To its place in the timeline', onclick: () => toTimeline(n) },
    el('span', { class: 'quiet' }, `${clock(at)} `), el('span', { class: color }, `${line.level || '     '} `), object, foreign(line.message), ' ', el('span', { class: 'quiet' }, foreign(fields, 1000))));
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
    timeline.draw(new Set());
  });
}
