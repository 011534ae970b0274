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
  connected: false,
  // The newest time that was told: a recording has no other now.
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
  about: (told) => { store.about = told.about; },
  process: (told) => { store.process = told.process; },
  permissions: (told) => { store.permissions = told.permissions; },
  figures: (told) => {
    store.figures.push(told);
    if (store.figures.length > 300) store.figures.shift();
  },
  object: (told) => {
    const before = store.objects.get(told.uid);
    store.objects.set(told.uid, told);
    if (!before || before.at !== told.at) {
      store.changes.push({ at: told.at, uid: told.uid, change: told.change, by: told.by });
      if (store.changes.length > KEPT) store.changes.splice(0, KEPT / 10);
    }
    told.dirty = true;
  },
  reconcile: (told) => keep(store.reconciles, told.n, told),
  call: (told) => keep(store.calls, told.n, told),
  line: (told) => keep(store.lines, told.n, told),
  notice: (told) => keep(store.notices, told.n, told),
};

function reset() {
  for (const name of ['objects', 'reconciles', 'calls', 'lines', 'notices']) store[name].clear();
  store.figures = [];
  store.changes = [];
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
    touch('connection');
  };
  events.addEventListener('open', () => connected(true));
  events.addEventListener('error', () => {
    connected(false);
    if (events.readyState === EventSource.CLOSED) setTimeout(listen, 2000);
  });
  events.addEventListener('reset', () => {
    reset();
    connected(true);
  });
  events.addEventListener('news', (event) => news(JSON.parse(event.data)));
}
