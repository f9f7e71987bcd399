import 'server-only';

/** How deep parts with kept text stand in an answer: `{rollout}`, `{items: [rollout]}`. */
const DEPTH = 2;

const kept = new WeakMap<object, string>();

/** The same value, which {@link jsonText} writes once. For parts of answers that many ask for, and that never change. */
export function withKeptText<T extends object>(value: T): T {
  kept.set(value, '');
  return value;
}

/** As `JSON.stringify` of an object, but parts with kept text are copied where they were written before. */
export function jsonText(value: unknown, depth = DEPTH): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const known = kept.get(value);
  if (known !== undefined) return known === '' ? keep(value) : known;
  if (depth === 0 || 'toJSON' in value) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((entry) => jsonText(entry, depth - 1)).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${jsonText(member, depth - 1)}`).join(',')}}`;
}

function keep(value: object): string {
  const text = JSON.stringify(value);
  kept.set(value, text);
  return text;
}
