// The views of permissions and of the operator's metrics.
import { store } from './store.js';
import { copy, el, foreign } from './words.js';

let granted;

export const permissions = {
  begin(place) {
    granted = place;
  },
  draw(touched) {
    if (!['permissions', 'reset'].some((what) => touched.has(what))) return;
    const { forbidden, unused, known } = store.permissions;
    granted.replaceChildren(
      el('h2', {}, 'Forbidden'),
      ...(forbidden.length ? forbidden.map(refusal) : [el('p', {}, known ? 'Nothing was forbidden.' : 'Unknown: only clusters that rustop started have an audit log.')]),
      el('h2', {}, 'Granted but not used so far'),
      ...(unused.length ? unused.map((marker) => el('p', {}, el('code', {}, foreign(marker)), ' ', copy(marker))) : [el('p', {}, known ? 'All permissions were used.' : '')]));
  },
};

function refusal({ resource, verbs, times, marker, file }) {
  return el('div', { class: 'cause' },
    el('p', {}, foreign(`${verbs.join(', ')} ${resource}`), ` (${times} ${times === 1 ? 'request' : 'requests'}); add to `, el('code', {}, foreign(file)), ':'),
    el('p', {}, el('code', {}, foreign(marker)), ' ', copy(marker)));
}

const rate = (name) => (one, before) => (before ? ((one.figures[name] ?? 0) - (before.figures[name] ?? 0)) / ((one.at - before.at) / 1e6) : 0);
const value = (name, scale = 1) => (one) => (one.figures[name] ?? 0) * scale;
const mean = (one, before) => {
  const [times, seconds] = ['timed', 'seconds'].map((name) => (one.figures[name] ?? 0) - (before?.figures[name] ?? 0));
  return times > 0 ? (seconds / times) * 1000 : 0;
};
const PLOTS = [
  ['Queue', 'waiting objects', value('depth')],
  ['Reconciles', 'per second', rate('reconciles')],
  ['Errors', 'per second', rate('errors')],
  ['Time to reconcile', 'ms on average', mean],
  ['Requests to the API server', 'per second', rate('requests')],
  ['Memory', 'MiB', value('memory', 1 / 1048576)],
  ['CPU', '% of a core', (one, before) => rate('cpu')(one, before) * 100],
];
let plots;
let nothing;
let webhooks;

export const health = {
  begin(place) {
    nothing = el('p', { class: 'quiet' }, 'No metrics yet: the page reads them from the operator every two seconds.');
    plots = PLOTS.map(([title, unit, of]) => ({ unit, of, canvas: el('canvas', { role: 'img' }), says: el('figcaption', {}, title), title }));
    webhooks = el('div');
    place.append(nothing, el('div', { class: 'plots' }, plots.map((plot) => el('figure', {}, plot.says, plot.canvas))), webhooks);
  },
  draw(touched) {
    if (!['figures', 'reset'].some((what) => touched.has(what))) return;
    nothing.hidden = store.figures.length > 0;
    if (!store.figures.length) return;
    plots.forEach(draw);
    webhooks.replaceChildren(...answers(store.figures.at(-1).figures));
  },
};

// Returns a table of the webhooks' responses since the operator started.
function answers(figures) {
  const paths = Object.keys(figures).filter((name) => name.startsWith('calls ')).map((name) => name.slice(6));
  if (!paths.length) return [];
  const row = (path) => {
    const of = (name) => figures[`${name} ${path}`] ?? 0;
    const mean = of('answered') ? `${short((of('answering') / of('answered')) * 1000)} ms` : '';
    return el('tr', {}, el('th', { scope: 'row' }, el('code', {}, foreign(path))), [of('calls'), of('refused'), mean].map((cell) => el('td', {}, String(cell))));
  };
  const heads = ['Webhook', 'Calls', 'Refused', 'Average response time'];
  return [el('table', {}, el('thead', {}, el('tr', {}, heads.map((head) => el('th', { scope: 'col' }, head)))), el('tbody', {}, paths.map(row)))];
}

const short = (number) => (number >= 100 ? number.toFixed(0) : number.toPrecision(2));

// Plots a metric over time. Rates are at least 0, because counters restart from 0 with the operator.
function draw({ canvas, unit, of, says, title }) {
  const points = store.figures.map((one, place) => Math.max(0, of(one, store.figures[place - 1])));
  const now = points.at(-1);
  const most = Math.max(...points, 1e-9);
  says.textContent = `${title}: ${short(now)} ${unit}`;
  canvas.setAttribute('aria-label', `${title}: now ${short(now)}, at most ${short(most)} ${unit}`);
  const ratio = devicePixelRatio || 1;
  const [width, height] = [canvas.clientWidth || 300, canvas.clientHeight || 96];
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const paint = canvas.getContext('2d');
  paint.scale(ratio, ratio);
  paint.strokeStyle = getComputedStyle(canvas).color;
  paint.lineWidth = 1.5;
  paint.beginPath();
  points.forEach((point, place) => paint.lineTo((place / Math.max(points.length - 1, 1)) * width, height - 4 - (point / most) * (height - 10)));
  paint.stroke();
}
