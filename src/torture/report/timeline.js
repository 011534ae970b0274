// Draws what happened over time as SVG: a row for each kind, a column for each step, a mark for each event.
//
//   drawTimeline(element, { seconds, marks: [{ at, row, kind, text }] })
//
// `kind` is one of step, read, news, write, failed, fault, life. A mark of kind `step` has no row: it is a line
// through all of them. Needs no other script and no style but the colours given here.
function drawTimeline(place, { seconds, marks }) {
  const colors = { read: '#9aa5b1', news: '#3e7cb1', write: '#2d8a4e', failed: '#d97706', fault: '#c81e1e', life: '#6b21a8' };
  const rows = [...new Set(marks.filter((mark) => mark.kind !== 'step').map((mark) => mark.row))].sort((a, b) => order(a) - order(b) || a.localeCompare(b));
  const [left, top, line, width] = [190, 34, 24, Math.max(700, place.clientWidth || 900)];
  const height = top + line * rows.length + 26;
  const x = (at) => left + (at / Math.max(seconds, 0.1)) * (width - left - 16);
  const y = (row) => top + rows.indexOf(row) * line + line / 2;
  const svg = element('svg', { viewBox: `0 0 ${width} ${height}`, width: '100%', role: 'img', 'aria-label': 'What happened over time' });

  rows.forEach((row) => {
    svg.append(element('line', { x1: left, x2: width - 16, y1: y(row), y2: y(row), stroke: '#8884' }));
    svg.append(label(row, { x: left - 8, y: y(row) + 4, 'text-anchor': 'end' }));
  });
  marks.filter((mark) => mark.kind === 'step').forEach((mark, number) => {
    const step = element('g', { class: 'step' });
    step.append(element('line', { x1: x(mark.at), x2: x(mark.at), y1: top - 8, y2: height - 22, stroke: '#888', 'stroke-dasharray': '3 3' }));
    step.append(label(String(number + 1), { x: x(mark.at), y: top - 14, 'text-anchor': 'middle' }), title(mark.text));
    svg.append(step);
  });
  marks.filter((mark) => mark.kind !== 'step').forEach((mark) => {
    const shape = element('g', { class: mark.kind, fill: colors[mark.kind] });
    shape.append(drawing(mark.kind, x(mark.at), y(mark.row)), title(`${mark.at.toFixed(3)} s  ${mark.text}`));
    svg.append(shape);
  });
  for (let second = 0; second <= seconds; second += Math.max(1, Math.ceil(seconds / 12))) {
    svg.append(label(`${second} s`, { x: x(second), y: height - 6, 'text-anchor': 'middle' }));
  }
  place.replaceChildren(svg, legend());

  function order(row) {
    return { faults: 0, operator: 1 }[row] ?? 2;
  }
  function drawing(kind, cx, cy) {
    if (kind === 'fault') return element('path', { d: `M${cx} ${cy - 8} l7 14 h-14 z` });
    if (kind === 'write' || kind === 'failed') return element('rect', { x: cx - 4, y: cy - 7, width: 8, height: 14, rx: 1 });
    return element('circle', { cx, cy, r: kind === 'life' ? 6 : 3.5 });
  }
  function legend() {
    const list = document.createElement('p');
    list.className = 'legend';
    Object.entries(colors).forEach(([kind, color]) => {
      const one = document.createElement('span');
      one.textContent = `● ${kind} `;
      one.style.color = color;
      list.append(one);
    });
    return list;
  }
  function label(text, attributes) {
    const made = element('text', { 'font-size': 12, fill: 'currentColor', ...attributes });
    made.textContent = text;
    return made;
  }
  function title(text) {
    const made = element('title', {});
    made.textContent = text;
    return made;
  }
  function element(name, attributes) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    return made;
  }
}
