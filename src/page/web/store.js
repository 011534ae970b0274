// What the server tells, kept as the views need it.

const KEPT = 5000;

export const store = {
  about: { project: '', kinds: [] },
  process: { state: '', says: '', restarts: 0 },
  permissions: { forbidden: [], unused: [], known: false },
  figures: [],
  objects: new Map(),
  reconciles: new Map(),
  calls: new Map(),
  lines: new Map(),
  notices: new Map(),
  changes: [],
  // The uids of objects that are not drawn yet as they are, how often all began anew, and how often an object came to
  // or went from its place.
  fresh: new Set(),
  epoch: 0,
  shape: 0,
  // Whether there are requests worth a look that are about no one object.
  loose: false,
  // Nothing before the first answer; `refused` is a key of an earlier run.
  connected: null,
  refused: false,
  // The first time that was seen, and the newest: a recording has no other now.
  begin: 0,
  now: 0,
};

const listeners = new Set();
let touched = new Set();
let planned = false;

// Calls `listener` with the set of what changed, at most once a frame and ten times a second.
export function subscribe(listener) {
  listeners.add(listener);
}

export function touch(what) {
  touched.add(what);
  if (planned) return;
  planned = true;
  setTimeout(() => requestAnimationFrame(() => {
    planned = false;
    const all = touched;
    touched = new Set();
    listeners.forEach((listener) => listener(all));
  }), 80);
}

function keep(map, key, value) {
  map.set(key, value);
  if (map.size > KEPT) map.delete(map.keys().next().value);
}

const take = {
  about: (told) => {
    store.about = told.about;
    store.begin = told.begin;
  },
  process: (told) => { store.process = told.process; },
  permissions: (told) => { store.permissions = told.permissions; },
  figures: (told) => {
    store.figures.push(told);
    if (store.figures.length > 300) store.figures.shift();
  },
  object: (told) => {
    const before = store.objects.get(told.uid);
    store.objects.set(told.uid, told);
    if (before?.at !== told.at) {
      for (const { at, change, by } of [...(told.before ?? []), told]) store.changes.push({ at, uid: told.uid, change, by });
      if (store.changes.length > KEPT) store.changes.splice(0, store.changes.length - KEPT);
    }
    if (!before || before.parent !== told.parent) store.shape += 1;
    store.fresh.add(told.uid);
  },
  reconcile: (told) => keep(store.reconciles, told.n, told),
  call: (told) => {
    keep(store.calls, told.n, told);
    if (told.uid || store.loose || (told.call.code < 400 && told.call.took < 1e6)) return;
    store.loose = true;
    store.shape += 1;
  },
  line: (told) => keep(store.lines, told.n, told),
  notice: (told) => keep(store.notices, told.n, told),
};

function reset() {
  for (const name of ['objects', 'reconciles', 'calls', 'lines', 'notices']) store[name].clear();
  store.figures = [];
  store.changes = [];
  store.fresh.clear();
  store.loose = false;
  store.epoch += 1;
  store.shape += 1;
  touch('reset');
}

function news(all) {
  for (const told of all) {
    take[told.t]?.(told);
    touch(told.t);
    const at = told.at ?? told.end ?? told.start ?? 0;
    if (at > store.now) store.now = at;
  }
}

// The server's word on one object: its states, or what changed between two.
export async function ask(parameters) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(parameters)) query.set(name, value);
  const answer = await fetch(`object?${query}`);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

// Listens; a server that goes away is looked for until it comes back.
export function listen() {
  const events = new EventSource(`events${location.search}`);
  const connected = (is) => {
    store.connected = is;
    if (is) store.refused = false;
    touch('connection');
  };
  events.addEventListener('open', () => connected(true));
  events.addEventListener('error', () => {
    connected(false);
    if (events.readyState !== EventSource.CLOSED) return;
    setTimeout(listen, 2000);
    fetch(`object${location.search}&uid=-`).then((answer) => {
      store.refused = answer.status === 403;
      touch('connection');
    }, () => {});
  });
  events.addEventListener('reset', () => {
    reset();
    connected(true);
  });
  events.addEventListener('news', (event) => news(JSON.parse(event.data)));
}
