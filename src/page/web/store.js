// The data received from the server, in the form that the views need.

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
  // `fresh`: uids of objects to be redrawn. `epoch`: number of resets. `shape`: number of changes to the set of
  // objects, their owners or the lanes.
  fresh: new Set(),
  epoch: 0,
  shape: 0,
  // Whether the timeline needs a lane for requests that are not about a single object.
  loose: false,
  // `connected` is null before the first response. `refused` means that the key belongs to an earlier run.
  connected: null,
  refused: false,
  // Times of the first and the newest update. The newest one serves as the current time, also when a recording is
  // replayed.
  begin: 0,
  now: 0,
};

const listeners = new Set();
let touched = new Set();
let planned = false;

// Calls `listener` with the set of changed parts, at most once per frame and about ten times per second.
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

function changes(all) {
  for (const told of all) {
    take[told.t]?.(told);
    touch(told.t);
    const at = told.at ?? told.end ?? told.start ?? 0;
    if (at > store.now) store.now = at;
  }
}

// Requests details of an object from the server: its states, or the difference between two of them.
export async function ask(parameters) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(parameters)) query.set(name, value);
  const answer = await fetch(`object?${query}`);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

// Receives updates from the server. Reconnects until the server is available again.
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
  events.addEventListener('changes', (event) => changes(JSON.parse(event.data)));
}
