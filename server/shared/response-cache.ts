import 'server-only';
import { LRUCache } from 'lru-cache';

/** The depth of cached parts in an answer: `{rollout}`, `{items: [rollout]}`. */
const DEPTH = 2;
const CHARS_MAX = 16 * 1024 * 1024;
const PAGES_BYTES_MAX = 32 * 1024 * 1024;

type Piece = string | Uint8Array<ArrayBuffer>;

interface Page {
  of: readonly unknown[];
  bytes: Uint8Array<ArrayBuffer>;
}

interface Caches {
  /** What is cached as soon as it was serialized. */
  parts: WeakSet<object>;
  texts: LRUCache<object, string>;
  /** Pages of cached parts, by the first of them. Without this, large pages would be most of the garbage. */
  pages: LRUCache<object, Page>;
}

/** Routes and the start of the process are separate bundles: only globalThis is common to both. */
const slot = Symbol.for('shiplog.responseCaches');
const caches: Caches = ((globalThis as { [slot]?: Caches })[slot] ??= {
  parts: new WeakSet(),
  texts: new LRUCache<object, string>({ maxSize: CHARS_MAX, sizeCalculation: ({ length }) => length }),
  pages: new LRUCache<object, Page>({
    maxSize: PAGES_BYTES_MAX,
    sizeCalculation: ({ bytes }) => bytes.length,
  }),
});

/**
 * The same value, which {@link jsonBody} serializes once. For parts that many answers share, and that never
 * change.
 */
export function withCachedJson<T extends object>(value: T): T {
  caches.parts.add(value);
  return value;
}

/**
 * A body equal to the text of `JSON.stringify`; cached parts, and pages of them, are sent as they were
 * serialized before.
 */
export function jsonBody(value: unknown): BodyInit {
  const pieces = mergeTexts(piecesOf(value, DEPTH));
  const [first, ...others] = pieces;
  if (typeof first === 'string' && others.length === 0) return first;
  const encoder = new TextEncoder();
  const chunks = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece)).values();
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      const { value: chunk, done } = chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(chunk);
    },
  });
}

function piecesOf(value: unknown, depth: number): Piece[] {
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value) ?? 'null'];
  if (caches.parts.has(value)) return [textOf(value)];
  if (depth === 0 || 'toJSON' in value) return [JSON.stringify(value)];
  if (Array.isArray(value)) return listOf(value, depth);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return [
    '{',
    ...members.flatMap(([name, member], index) => [
      `${index === 0 ? '' : ','}${JSON.stringify(name)}:`,
      ...piecesOf(member, depth - 1),
    ]),
    '}',
  ];
}

function listOf(list: readonly unknown[], depth: number): Piece[] {
  if (!list.some(isCached)) return [JSON.stringify(list)];
  if (list.length > 1 && list.every(isCached)) return [pageOf(list)];
  const entries = list.flatMap((entry, index) => [
    ...(index === 0 ? [] : [',']),
    ...piecesOf(entry, depth - 1),
  ]);
  return ['[', ...entries, ']'];
}

function pageOf(list: readonly object[]): Uint8Array<ArrayBuffer> {
  const [first] = list;
  const known = first === undefined ? undefined : caches.pages.get(first);
  if (known?.of.length === list.length && known.of.every((entry, index) => entry === list[index]))
    return known.bytes;
  const bytes = new TextEncoder().encode(`[${list.map(textOf).join(',')}]`);
  if (first !== undefined) caches.pages.set(first, { of: list, bytes });
  return bytes;
}

function textOf(value: object): string {
  const known = caches.texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  caches.texts.set(value, text);
  return text;
}

function isCached(value: unknown): value is object {
  return typeof value === 'object' && value !== null && caches.parts.has(value);
}

function mergeTexts(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (typeof piece === 'string' && typeof last === 'string') result[result.length - 1] = last + piece;
    else result.push(piece);
  }
  return result;
}
