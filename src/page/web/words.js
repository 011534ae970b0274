// Elements and words: everything that was seen becomes text here, and never markup.

// An element with attributes, listeners (`onclick`) and children.
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

// Gives a place another text, and leaves it alone where it has that already: a screen reader would say it again.
export function say(place, text, attributes = {}) {
  if (place.textContent !== text) place.textContent = text;
  for (const [key, value] of Object.entries(attributes)) if (place.getAttribute(key) !== value) place.setAttribute(key, value);
}

const LONGEST = 4000;
// Characters that change the direction of what follows, or are not seen at all.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

// A foreign text as it can be shown: hidden characters as their numbers, and the end of a long one left out.
export function plain(text, longest = LONGEST) {
  const shown = String(text ?? '').slice(0, longest).replace(HIDDEN, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const rest = String(text ?? '').length - longest;
  return rest > 0 ? `${shown} … (${rest} characters more)` : shown;
}

// The same in an element of its own, whatever its direction is.
export function foreign(text, longest) {
  return el('bdi', {}, plain(text, longest));
}

export const MARKS = { ok: '●', wait: '◷', bad: '▲', none: '○' };
const SAYS = { ok: 'well', wait: 'waiting', bad: 'in trouble', none: 'no state' };

// A state as colour, shape and word.
export function state({ level, word }) {
  return el('span', { class: `state ${level}` }, el('span', { class: 'mark', role: 'img', 'aria-label': SAYS[level] }, MARKS[level] ?? '○'), foreign(word, 100));
}

// A duration in microseconds.
export function duration(micros) {
  if (micros < 1000) return `${Math.round(micros)} µs`;
  if (micros < 1e6) return `${(micros / 1000).toFixed(micros < 1e4 ? 1 : 0)} ms`;
  const seconds = micros / 1e6;
  if (seconds < 120) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  const minutes = seconds / 60;
  if (minutes < 120) return `${Math.round(minutes)} min`;
  return minutes < 2880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} d`;
}

// A time in microseconds since 1970, as the clock on the wall has it.
export function clock(micros) {
  const date = new Date(micros / 1000);
  const two = (number) => String(number).padStart(2, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

// A button that copies a text.
export function copy(text, label = 'Copy') {
  const button = el('button', { type: 'button', onclick: async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'Not allowed: select it';
    }
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  return button;
}

// How an object is called.
export function called(object) {
  return `${object.kind} ${object.namespace ? `${object.namespace}/` : ''}${object.name}`;
}

// Why an object is not Ready, with what mends it.
export function cause(found) {
  return el('p', { class: 'cause' }, foreign(found.says), found.mend ? el('span', {}, el('br'), el('strong', {}, 'Mend: '), el('code', {}, foreign(found.mend)), ' ', copy(found.mend)) : null);
}
