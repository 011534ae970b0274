// The page: selects the view, and draws the header and the notices.
import { listen, store, subscribe } from './store.js';
import { MARKS, el, foreign, plain, say } from './words.js';
import { objects } from './objects.js';
import { detail } from './detail.js';
import { log, timeline } from './log.js';
import { health, permissions } from './views.js';

const VIEWS = { objects, timeline, log, permissions, health };
const names = Object.keys(VIEWS);
const place = (id) => document.getElementById(id);
const dismissed = new Set();

// Navigates to a view or to an object.
const go = {
  view: (name) => { location.hash = name; },
  object: (uid) => detail.open(uid),
};

function current() {
  const name = location.hash.slice(1).split('/')[0];
  return names.includes(name) ? name : 'objects';
}

function show() {
  const name = current();
  for (const one of names) place(one).hidden = one !== name;
  document.querySelectorAll('nav a').forEach((link) => {
    if (link.dataset.view === name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  });
  VIEWS[name].draw(new Set(['reset']));
}

function header(touched) {
  if (touched.has('about') || touched.has('reset')) {
    place('project').replaceChildren(foreign(store.about.project || 'rustop dev', 100));
    document.title = `${store.about.project || 'rustop'} · rustop dev`;
  }
  const { state, says, restarts } = store.process;
  const level = { running: 'ok', building: 'wait', failed: 'bad', ended: 'bad' }[state] ?? 'none';
  const words = { running: 'operator running', building: 'building', failed: 'build failed', ended: 'operator exited' }[state] ?? 'no operator yet';
  const more = restarts ? `, restarted ${restarts === 1 ? 'once' : `${restarts} times`}` : '';
  say(place('process'), `${MARKS[level]} ${words}${more}`, { class: level, title: plain(says, 1000) });
  const [link, how] = store.connected ? ['● connected', 'ok']
    : store.connected === null ? ['○ connecting', 'none']
    : store.refused ? ['▲ rustop was restarted: open the address that it prints', 'bad']
    : ['▲ rustop does not respond: reconnecting', 'bad'];
  say(place('connection'), link, { class: how });
}

const shown = new Map();
// Notices about the same subject, repeated each minute while the problem lasts, are shown as one.
const about = ({ notice: one }) => `${one.sort} ${one.kind} ${one.object}`;

// Shows a failed build and the newest notices that the user has not dismissed.
function notices() {
  const last = new Map([...store.notices.values()].map((one) => [about(one), one.n]));
  const newest = [...store.notices.values()].filter((one) => last.get(about(one)) === one.n && !dismissed.has(about(one))).slice(-3);
  const wanted = newest.map((told) => [`${store.epoch} ${about(told)}`, () => notice(told)]);
  if (store.process.state === 'failed') wanted.unshift([store.process.says, () => el('pre', { class: 'notice' }, foreign(store.process.says, 20000))]);
  for (const [key, element] of shown) {
    if (wanted.some(([one]) => one === key)) continue;
    element.remove();
    shown.delete(key);
  }
  for (const [key, make] of wanted) {
    if (shown.has(key)) continue;
    shown.set(key, make());
    place('notices').append(shown.get(key));
  }
}

const SORTS = { loop: 'Hot loop', conflict: 'Conflicting writers', slow: 'Slow request', forbidden: 'Forbidden' };

function notice(whole) {
  const { notice: told, uid } = whole;
  return el('div', { class: 'notice' },
    el('strong', {}, SORTS[told.sort] ?? told.sort),
    el('span', {}, foreign(`${told.kind} ${told.object}: ${told.says}`, 600)),
    uid ? el('button', { type: 'button', onclick: () => go.object(uid) }, 'Show') : null,
    el('button', { type: 'button', 'aria-label': 'Dismiss this notice', onclick: () => { dismissed.add(about(whole)); notices(); } }, '×'));
}

subscribe((touched) => {
  header(touched);
  if (['notice', 'process', 'reset'].some((what) => touched.has(what))) notices();
  VIEWS[current()].draw(touched);
  detail.draw(touched);
});
addEventListener('hashchange', () => {
  // A narrow window cannot show both the view and the details.
  if (matchMedia('(max-width: 60rem)').matches) detail.close();
  show();
});
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') return detail.close();
  if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
  const name = names[Number(event.key) - 1];
  if (name) go.view(name);
  if (event.key === '/') {
    place(current()).querySelector('input')?.focus();
    event.preventDefault();
  }
});
document.addEventListener('go', ({ detail: to }) => (to.uid ? go.object(to.uid) : go.view(to.view)));
for (const name of names) VIEWS[name].begin(place(name));
detail.begin(place('detail'));
show();
header(new Set(['reset']));
listen();
