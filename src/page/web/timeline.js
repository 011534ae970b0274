// Draws a timeline: one lane per object, bars for items with a duration, marks for instants.
//
//   const timeline = new Timeline(element, { pick: (item) => …, paused: () => …, live: true });
//   timeline.show({ lanes: [{ id, label }], items: [{ lane, from, to, kind, text }], end });
//
// Times are in seconds; an item without `to` is a mark. `text` may be a function that returns the text. `kind` is a key
// of KINDS. An item whose shape is `line` needs no lane: it is drawn across all lanes. Zoom with the wheel, pan by
// dragging; keys do both. This script has no dependencies.

const KINDS = {
  running: { color: ['#1a56a8', '#86b7ff'], shape: 'bar', says: 'running reconcile' },
  ok: { color: ['#1a6b3a', '#5cc98a'], shape: 'bar', says: 'reconcile' },
  failure: { color: ['#b3151b', '#ff8a85'], shape: 'bar', says: 'failed reconcile' },
  waiting: { color: ['#b3151b', '#ff8a85'], shape: 'hatch', says: 'waiting to retry' },
  late: { color: ['#6b7280', '#9aa5b1'], shape: 'bar', says: 'postponed or aborted reconcile' },
  read: { color: ['#6b7280', '#9aa5b1'], shape: 'dot', says: 'read' },
  watch: { color: ['#1a56a8', '#86b7ff'], shape: 'dot', says: 'watch event' },
  write: { color: ['#1a6b3a', '#5cc98a'], shape: 'tick', says: 'write' },
  slow: { color: ['#9a4d00', '#f0b35a'], shape: 'hatch', says: 'slow request' },
  failed: { color: ['#9a4d00', '#f0b35a'], shape: 'cross', says: 'rejected request' },
  fault: { color: ['#b3151b', '#ff8a85'], shape: 'triangle', says: 'fault' },
  life: { color: ['#6b21a8', '#c79bf2'], shape: 'diamond', says: 'operator start or exit' },
  step: { color: ['#6b7280', '#9aa5b1'], shape: 'line', says: 'step' },
};
const SHAPES = { bar: '▬', hatch: '┅', dot: '●', tick: '❙', cross: '✕', triangle: '▲', diamond: '◆', line: '┆' };
const DARK = matchMedia('(prefers-color-scheme: dark)');
const LEFT = 220;
const LINE = 24;
const HEAD = 22;

class Timeline {
  constructor(place, { pick = () => {}, paused = () => {}, live = false } = {}) {
    this.place = place;
    this.pick = pick;
    this.paused = paused;
    this.live = live;
    this.data = { lanes: [], items: [], end: 1 };
    this.view = { from: 0, to: 1 };
    this.top = 0;
    this.chosen = null;
    this.canvas = document.createElement('canvas');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.says = document.createElement('p');
    this.says.setAttribute('role', 'status');
    this.legend = document.createElement('ul');
    this.legend.className = 'legend';
    place.replaceChildren(this.canvas, this.says, this.legend);
    this.listen();
  }

  // Sets new data. In live mode, the view moves to the newest items.
  show(data) {
    const before = this.data.end;
    this.data = data;
    this.sort();
    const width = this.view.to - this.view.from;
    if (!this.live && before === 1 && this.view.to === 1) this.view = { from: 0, to: Math.max(data.end, 0.1) * 1.02 };
    else if (this.live) this.view = { from: data.end - width, to: data.end };
    this.plan();
  }

  // Groups the items by lane, so that drawing only visits visible lanes. Items without a lane are in `beyond`.
  sort() {
    if (this.sorted !== this.data.lanes) {
      this.sorted = this.data.lanes;
      this.rows = new Map(this.data.lanes.map((lane, row) => [lane.id, row]));
    }
    this.within = new Map();
    this.beyond = [];
    const kinds = this.kinds = new Set();
    for (const item of this.data.items) {
      kinds.add(item.kind);
      const lane = this.within.get(item.lane);
      if (KINDS[item.kind]?.shape === 'line') this.beyond.push(item);
      else if (lane) lane.push(item);
      else this.within.set(item.lane, [item]);
    }
  }

  // Returns the end of an item; a running one ends now.
  end(item) {
    return item.to ?? (item.kind === 'running' ? this.data.end : item.from);
  }

  // Moves the view to a span of time.
  look(from, to) {
    this.live = false;
    this.paused();
    this.view = { from, to: Math.max(to, from + 0.0001) };
    this.plan();
  }

  choose(item) {
    this.chosen = item;
    const text = typeof item?.text === 'function' ? item.text() : item?.text;
    this.says.textContent = item ? `${item.from.toFixed(3)} s${item.to ? `, ${((item.to - item.from) * 1000).toFixed(1)} ms` : ''}: ${text}` : '';
    if (item && (item.from < this.view.from || item.from > this.view.to)) {
      const half = (this.view.to - this.view.from) / 2;
      this.look(item.from - half, item.from + half);
    }
    if (item) this.scroll(item);
    this.plan();
  }

  // Returns the earliest item of the given kinds.
  first(kinds) {
    const all = this.data.items.filter((item) => kinds.includes(item.kind));
    return all.reduce((first, item) => (!first || item.from < first.from ? item : first), null);
  }

  // Draws the legend for the kinds that occur.
  explain(dark) {
    const shown = Object.keys(KINDS).filter((kind) => this.kinds?.has(kind));
    const known = `${dark} ${shown}`;
    if (this.legend.dataset.known === known) return;
    this.legend.dataset.known = known;
    this.legend.replaceChildren(...shown.map((kind) => {
      const { color, shape, says } = KINDS[kind];
      const one = document.createElement('li');
      const mark = document.createElement('span');
      mark.textContent = `${SHAPES[shape]} `;
      mark.style.color = color[dark];
      one.append(mark, says);
      return one;
    }));
  }

  plan() {
    if (this.planned) return;
    this.planned = true;
    requestAnimationFrame(() => {
      this.planned = false;
      this.draw();
    });
  }

  x(at) {
    return LEFT + ((at - this.view.from) / (this.view.to - this.view.from)) * (this.width - LEFT);
  }

  at(x) {
    return this.view.from + ((x - LEFT) / (this.width - LEFT)) * (this.view.to - this.view.from);
  }

  scroll(item) {
    const row = this.rows?.get(item.lane) ?? 0;
    const fits = Math.floor((this.height - HEAD) / LINE);
    if (row < this.top || row >= this.top + fits) this.top = Math.max(0, row - Math.floor(fits / 2));
  }

  draw() {
    const { lanes, items, end } = this.data;
    const ratio = window.devicePixelRatio || 1;
    this.width = Math.max(400, this.place.clientWidth || 900);
    this.height = Math.min(HEAD + LINE * Math.max(lanes.length, 3), Math.max(220, window.innerHeight - 320));
    this.canvas.width = this.width * ratio;
    this.canvas.height = this.height * ratio;
    this.canvas.style.height = `${this.height}px`;
    const paint = this.canvas.getContext('2d');
    paint.scale(ratio, ratio);
    const dark = DARK.matches ? 1 : 0;
    this.explain(dark);
    const [text, quiet] = dark ? ['#e8eaed', '#3a424d'] : ['#1a1d21', '#c9ced6'];
    paint.font = '12px system-ui, sans-serif';
    this.grid(paint, text, quiet);
    const fits = Math.ceil((this.height - HEAD) / LINE);
    this.top = Math.max(0, Math.min(this.top, lanes.length - fits + 1));
    lanes.slice(this.top, this.top + fits).forEach((lane, row) => {
      const y = HEAD + row * LINE;
      paint.fillStyle = quiet;
      paint.fillRect(0, y, this.width, 1);
      paint.fillStyle = text;
      paint.fillText(lane.label.slice(0, 60), 6, y + 16, LEFT - 14);
    });
    paint.save();
    paint.beginPath();
    paint.rect(LEFT, 0, this.width - LEFT, this.height);
    paint.clip();
    this.drawn = [];
    for (const item of this.beyond ?? []) this.item(paint, item, dark, text);
    for (const lane of lanes.slice(this.top, this.top + fits)) for (const item of this.within.get(lane.id) ?? []) this.item(paint, item, dark, text);
    paint.restore();
    this.canvas.setAttribute('aria-label', `${lanes.length} lanes, ${items.length} events, ${end.toFixed(1)} s; in sight ${this.view.from.toFixed(2)} s to ${this.view.to.toFixed(2)} s`);
  }

  grid(paint, text, quiet) {
    const span = this.view.to - this.view.from;
    const step = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 3600, 36000].find((one) => span / one < 10) ?? 360000;
    for (let at = Math.ceil(this.view.from / step) * step; at <= this.view.to; at += step) {
      const x = this.x(at);
      if (x < LEFT) continue;
      paint.fillStyle = quiet;
      paint.fillRect(x, HEAD - 6, 1, this.height);
      paint.fillStyle = text;
      paint.fillText(step < 1 ? `${at.toFixed(3)} s` : `${Math.round(at)} s`, x + 3, 13);
    }
  }

  item(paint, item, dark, text) {
    const { color, shape } = KINDS[item.kind] ?? KINDS.read;
    const to = this.end(item);
    if (to < this.view.from || item.from > this.view.to) return;
    const [x, right] = [this.x(item.from), this.x(to)];
    paint.fillStyle = paint.strokeStyle = color[dark];
    paint.lineWidth = 1.5;
    if (shape === 'line') {
      paint.setLineDash([3, 3]);
      this.path(paint, [[x, HEAD - 6], [x, this.height]]);
      paint.setLineDash([]);
      this.drawn.push({ item, x, right, row: -1 });
      return;
    }
    const row = this.rows.get(item.lane);
    if (row === undefined || row < this.top) return;
    const y = HEAD + (row - this.top) * LINE + LINE / 2;
    if (y > this.height) return;
    const wide = Math.max(2, right - x);
    if (shape === 'bar') paint.fillRect(x, y - 7, wide, 14);
    if (shape === 'hatch') {
      paint.setLineDash([2, 4]);
      paint.strokeRect(x, y - 4, wide, 8);
      paint.setLineDash([]);
    }
    if (shape === 'tick') paint.fillRect(x - 1.5, y - 10, 3, 20);
    if (shape === 'cross') this.path(paint, [[x - 5, y - 5], [x + 5, y + 5], null, [x + 5, y - 5], [x - 5, y + 5]]);
    if (shape === 'dot') this.filled(paint, () => paint.arc(x, y, 3, 0, 7));
    if (shape === 'triangle') this.filled(paint, () => [[x, y - 7], [x + 7, y + 6], [x - 7, y + 6]].forEach((point) => paint.lineTo(...point)));
    if (shape === 'diamond') this.filled(paint, () => [[x, y - 7], [x + 6, y], [x, y + 7], [x - 6, y]].forEach((point) => paint.lineTo(...point)));
    if (item === this.chosen) {
      paint.strokeStyle = text;
      paint.lineWidth = 2;
      paint.strokeRect(x - 7, y - 11, wide + 14, 22);
    }
    this.drawn.push({ item, x, right: x + wide, row });
  }

  path(paint, points) {
    paint.beginPath();
    let lift = true;
    for (const point of points) {
      if (point) (lift ? paint.moveTo(...point) : paint.lineTo(...point));
      lift = !point;
    }
    paint.stroke();
  }

  filled(paint, outline) {
    paint.beginPath();
    outline();
    paint.fill();
  }

  // Returns the item drawn closest to a point.
  hit(x, y) {
    const row = Math.floor((y - HEAD) / LINE) + this.top;
    const near = (this.drawn ?? []).map((one) => ({ ...one, far: Math.max(0, one.x - x, x - one.right) })).filter((one) => (one.row === row || one.row < 0) && one.far < 8);
    near.sort((a, b) => a.far - b.far || (a.right - a.x) - (b.right - b.x));
    return near[0]?.item ?? null;
  }

  zoom(factor, around = (this.view.from + this.view.to) / 2) {
    const { from, to } = this.view;
    if ((to - from) * factor < 0.0005 || (to - from) * factor > 1e6) return;
    this.look(around - (around - from) * factor, around + (to - around) * factor);
  }

  move(part) {
    const by = (this.view.to - this.view.from) * part;
    this.look(this.view.from + by, this.view.to + by);
  }

  // Chooses the next or the previous item.
  step(by) {
    const all = [...this.data.items].sort((a, b) => a.from - b.from);
    const at = all.indexOf(this.chosen);
    const next = at < 0 ? all.find((item) => item.from >= this.view.from) : all[at + by];
    if (!next) return;
    this.choose(next);
    this.pick(next);
  }

  listen() {
    const keys = {
      '+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2),
      ArrowLeft: () => this.move(-0.2), ArrowRight: () => this.move(0.2),
      ArrowUp: () => { this.top -= 1; this.plan(); }, ArrowDown: () => { this.top += 1; this.plan(); },
      n: () => this.step(1), p: () => this.step(-1),
    };
    this.canvas.addEventListener('keydown', (event) => {
      const action = keys[event.key];
      if (!action || event.ctrlKey || event.metaKey) return;
      action();
      event.preventDefault();
    });
    this.canvas.addEventListener('wheel', (event) => {
      if (event.shiftKey) this.top += Math.sign(event.deltaY + event.deltaX);
      else this.zoom(event.deltaY < 0 ? 0.8 : 1.25, this.at(event.offsetX));
      this.plan();
      event.preventDefault();
    }, { passive: false });
    let drag = null;
    this.canvas.addEventListener('pointerdown', (event) => {
      drag = { x: event.offsetX, view: this.view, far: 0 };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (!drag) return;
      const by = ((drag.x - event.offsetX) / (this.width - LEFT)) * (drag.view.to - drag.view.from);
      drag.far = Math.max(drag.far, Math.abs(event.offsetX - drag.x));
      if (drag.far > 3) this.look(drag.view.from + by, drag.view.to + by);
    });
    this.canvas.addEventListener('pointerup', (event) => {
      if (drag && drag.far <= 3) {
        const item = this.hit(event.offsetX, event.offsetY);
        this.choose(item);
        this.pick(item);
      }
      drag = null;
    });
    DARK.addEventListener('change', () => this.plan());
    if (window.ResizeObserver) new ResizeObserver(() => this.plan()).observe(this.place);
  }
}

export { Timeline };
