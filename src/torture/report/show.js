// A timeline for each finding: a lane for each resource, those of the operator and of the faults first.
const order = (row) => ({ faults: 0, operator: 1 })[row] ?? 2;
document.querySelectorAll('.timeline').forEach((place, number) => {
  const { seconds, marks } = timelines[number];
  const rows = [...new Set(marks.filter((mark) => mark.kind !== 'step').map((mark) => mark.row))];
  rows.sort((a, b) => order(a) - order(b) || a.localeCompare(b));
  const items = marks.map(({ at, row, kind, text }) => ({ lane: row, from: at, kind, text }));
  new Timeline(place).show({ lanes: rows.map((row) => ({ id: row, label: row })), items, end: seconds });
});
