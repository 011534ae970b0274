// The page: which view is shown, and what stands above all of them.
import { listen, store, subscribe } from './store.js';
import { el, foreign } from './words.js';
import { objects } from './objects.js';
import { detail } from './detail.js';
import { log, timeline } from './log.js';
import { health, permissions } from './views.js';

const VIEWS = { objects, timeline, log, permissions, health };
const names = Object.keys(VIEWS);
const place = (id) => document.getElementById(id);
const dismissed = new Set();

// Where the page leads: a view, or an object.
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
  const words = { running: 'the operator runs', building: 'building', failed: 'it does not build', ended: 'the operator ended' }[state] ?? 'no operator yet';
  const more = restarts ? `, started again ${restarts} times` : '';
  place('process').replaceChildren(el('span', { class: level, title: says }, `${words}${more}`));
  place('connection').replaceChildren(el('span', { class: store.connected ? 'ok' : 'bad' }, store.connected ? 'connected' : 'rustop does not answer: waiting for it'));
}

// The newest notices that nobody has put away; what does not build is one of them.
function notices() {
  const all = [...store.notices.values()].filter((one) => !dismissed.has(one.n)).slice(-3);
  const shown = all.map(({ n, notice, uid }) => el('div', { class: 'notice' },
    el('strong', {}, notice.sort),
    foreign(`${notice.kind} ${notice.object}: ${notice.says}`, 600),
    uid ? el('button', { type: 'button', onclick: () => go.object(uid) }, 'Show') : null,
    el('button', { type: 'button', 'aria-label': 'Put this notice away', onclick: () => { dismissed.add(n); notices(); } }, '×')));
  if (store.process.state === 'failed') shown.unshift(el('pre', { class: 'notice' }, foreign(store.process.says, 20000)));
  place('notices').replaceChildren(...shown);
}

subscribe((touched) => {
  header(touched);
  if (['notice', 'process', 'reset'].some((what) => touched.has(what))) notices();
  VIEWS[current()].draw(touched);
  detail.draw(touched);
});
addEventListener('hashchange', show);
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
