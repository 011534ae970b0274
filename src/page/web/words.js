// Elements and texts. Observed data is only ever inserted as text, never as markup.

// Creates an element with attributes, listeners (`onclick`) and children.
export function el(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

// Sets the text and attributes of an element only if they differ, because a screen reader would announce them again.
export function say(place, text, attributes = {}) {
  if (place.textContent !== text) place.textContent = text;
  for (const [key, value] of Object.entries(attributes)) if (place.getAttribute(key) !== value) place.setAttribute(key, value);
}

const LONGEST = 4000;
// Characters that change the text direction or are invisible.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

// Makes text from outside safe to show: replaces hidden characters with their code points and truncates long text.
export function plain(text, longest = LONGEST) {
  const shown = String(text ?? '').slice(0, longest).replace(HIDDEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const rest = String(text ?? '').length - longest;
  return rest > 0 ? `${shown} … (${rest} more characters)` : shown;
}

// Wraps such text in a `bdi` element, which isolates its direction.
export function foreign(text, longest) {
  return el('bdi', {}, plain(text, longest));
}

export const MARKS = { ok: '●', wait: '◷', bad: '▲', none: '○' };
const SAYS = { ok: 'healthy', wait: 'waiting', bad: 'failing', none: 'no state' };

// Shows a state by color, shape and word.
export function state({ level, word }) {
  return el('span', { class: `state ${level}` }, el('span', { class: 'mark', role: 'img', 'aria-label': SAYS[level] }, MARKS[level] ?? '○'), foreign(word, 100));
}

// Formats a duration given in microseconds.
export function duration(micros) {
  if (micros < 1000) return `${Math.round(micros)} µs`;
  if (micros < 1e6) return `${(micros / 1000).toFixed(micros < 1e4 ? 1 : 0)} ms`;
  const seconds = micros / 1e6;
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = seconds / 60;
  if (minutes < 120) return `${Math.round(minutes)} min`;
  return minutes < 2880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} d`;
}

// Formats a time, given in microseconds since 1970, as local time of day.
export function clock(micros) {
  const date = new Date(micros / 1000);
  const two = (number) => String(number).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

// Creates a button that copies a text.
export function copy(text, label = 'Copy') {
  const button = el('button', { type: 'button', onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed: select the text';
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  return button;
}

// Returns the displayed name of an object.
export function called(object) {
  return `${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}`;
}

// Shows why an object is not Ready, and the fix if one is known.
export function cause(found) {
  return el('p', { class: 'cause' }, foreign(found.says), found.fix ? el('span', {}, el('br'), el('strong', {}, 'Fix: '), el('code', {}, foreign(found.fix)), ' ', copy(found.fix)) : null);
}
