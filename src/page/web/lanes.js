// The data of the timeline: one lane per object, and the items in each lane.
import { store } from './store.js';
import { called, plain } from './words.js';

// The lane of requests that are not about a single object.
const LOOSE = 'loose';

// Converts a time to seconds since the first update.
export const seconds = (at) => (at - store.begin) / 1e6;

// Returns the uid at the top of the object's tree of owners.
export function root(uid) {
  let at = uid;
  for (let deep = 0; deep < 20 && store.objects.get(at)?.parent; deep += 1) at = store.objects.get(at).parent;
  return at;
}

let known;

// Sorts objects of the project's kinds first, then by kind, namespace and name; `job-9` comes before `job-10`.
const order = new Intl.Collator('en', { numeric: true });
function ordered(objects) {
  const key = (object) => `${object.own ? 0 : 1}${object.kind}/${object.namespace}/${object.name}`;
  return objects.map((object) => [key(object), object]).sort(([a], [b]) => order.compare(a, b)).map(([, object]) => object);
}

// Returns the lanes: each object followed by its children, or only the tree of `subject`. The result is cached until an
// object is added or changes its owner.
export function lanes(subject) {
  if (known?.subject === subject && known.shape === store.shape) return known.lanes;
  const below = new Map();
  const roots = [];
  for (const object of store.objects.values()) {
    if (!object.parent || !store.objects.has(object.parent)) roots.push(object);
    else if (below.has(object.parent)) below.get(object.parent).push(object);
    else below.set(object.parent, [object]);
  }
  const made = [];
  const seen = new Set();
  const add = (object, deep) => {
    if (seen.has(object.uid)) return;
    seen.add(object.uid);
    made.push({ id: object.uid, label: `${'  '.repeat(deep)}${plain(called(object), 100)}` });
    for (const child of ordered(below.get(object.uid) ?? [])) add(child, deep + 1);
  };
  if (store.loose && !subject) made.push({ id: LOOSE, label: 'requests for no single object' });
  for (const object of ordered(roots.filter((one) => !subject || one.uid === subject))) add(object, 0);
  known = { subject, shape: store.shape, lanes: made };
  return made;
}

// A request that takes longer than this, in microseconds, is slow. Must match `problem_notices.rs`.
const SLOW = 1e6;

// Returns all items. They are cached on the updates, and their texts are only generated when needed.
export function items() {
  const all = [];
  for (const told of store.reconciles.values()) all.push(...(told.items ??= reconcile(told)));
  for (const told of store.calls.values()) all.push(...(told.items ??= call(told)));
  for (const told of store.changes) all.push(told.item ??= change(told));
  return all;
}

function reconcile({ n, uid, id, start, end, outcome, cause, error, failures, retry }) {
  const kind = { ok: 'ok', failed: 'failure', running: 'running' }[outcome] ?? 'late';
  const why = () => (error ? `: ${plain(error, 1000)}` : '');
  const made = [{ key: `r${n}`, lane: uid, id, from: seconds(start), to: end ? seconds(end) : undefined, kind, text: () => `reconcile ${outcome} (cause: ${plain(cause, 200)})${why()}` }];
  const times = failures === 1 ? 'a failure' : `${failures} failures`;
  if (retry) made.push({ key: `w${n}`, lane: uid, id, from: seconds(end), to: seconds(retry), kind: 'waiting', text: () => `waits to retry after ${times}` });
  return made;
}

function call({ n, at, uid, call: made, writes }) {
  const isSlow = made.took >= SLOW;
  if (made.code < 400 && !isSlow && !(uid && writes)) return [];
  const text = () => `${made.verb} ${made.resource} ${plain(made.name, 253)}: ${made.code}, ${(made.took / 1000).toFixed(1)} ms ${plain(made.message, 500)}`;
  const mark = { key: `c${n}`, lane: uid ?? LOOSE, from: seconds(at), kind: made.code >= 400 ? 'failed' : writes ? 'write' : 'read', text };
  return isSlow ? [{ ...mark, key: `s${n}`, to: seconds(at + made.took), kind: 'slow' }, mark] : [mark];
}

function change({ at, uid, change: how, by }) {
  return { key: `o${at}${uid}`, lane: uid, from: seconds(at), kind: 'watch', text: () => `${how}${by?.length ? ` by ${plain(by.join(', '), 200)}` : ''}` };
}
