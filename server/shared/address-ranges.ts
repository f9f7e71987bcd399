import { isIP } from 'node:net';

/** The first and the last address, as numbers of IPv6. */
interface Span {
  readonly first: bigint;
  readonly last: bigint;
}

const BITS = 128;
/** A socket that listens on both families has IPv4 peers as `::ffff:10.0.0.1`. */
const IPV4_PREFIX = 0xffffn << 32n;
const IPV4_BITS = 32;
/** Proxies of one company are far fewer addresses, and the addresses of the internet more than this part of IPv6. */
const MANY_PARTS = 8n;

/** Addresses of connections, such as `10.0.0.0/8` and `192.0.2.7`; IPv4 is the same in both of its forms. */
export class AddressRanges {
  readonly #spans: readonly Span[];

  /** Of ranges that are valid. */
  constructor(ranges: readonly string[]) {
    this.#spans = union(ranges.map(spanOf));
  }

  includes(address: string): boolean {
    if (isIP(address) === 0) return false;
    const number = numberOf(address);
    return this.#spans.some(({ first, last }) => first <= number && number <= last);
  }

  /** Whether they are an eighth of all addresses of IPv4 or IPv6 or more, in one range or in several. */
  get areMany(): boolean {
    const everyone = [spanOf('::/0'), spanOf('0.0.0.0/0')];
    return everyone.some((all) => sizeWithin(this.#spans, all) * MANY_PARTS >= all.last - all.first + 1n);
  }
}

/** Whether it is an address or a range. */
export function isRange(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/');
  if (isIP(address) === 0 || rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  return Number(bits) <= bitsOf(address);
}

function spanOf(range: string): Span {
  const [address = '', bits = String(bitsOf(address))] = range.split('/');
  const free = BigInt(bitsOf(address) - Number(bits));
  const first = (numberOf(address) >> free) << free;
  return { first, last: first + (1n << free) - 1n };
}

/** In order, and without an address in two of them. */
function union(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => (a.first < b.first ? -1 : 1))) {
    const before = merged.at(-1);
    if (before === undefined || span.first > before.last + 1n) merged.push(span);
    else if (span.last > before.last) merged[merged.length - 1] = { first: before.first, last: span.last };
  }
  return merged;
}

function sizeWithin(spans: readonly Span[], all: Span): bigint {
  return spans.reduce((size, { first, last }) => {
    const from = first > all.first ? first : all.first;
    const to = last < all.last ? last : all.last;
    return to < from ? size : size + (to - from + 1n);
  }, 0n);
}

function bitsOf(address: string): number {
  return isIP(address) === 4 ? IPV4_BITS : BITS;
}

/** Of a valid address. */
function numberOf(address: string): bigint {
  const [plain = ''] = address.split('%');
  if (isIP(plain) === 4)
    return plain.split('.').reduce((sum, part) => (sum << 8n) + BigInt(part), 0n) + IPV4_PREFIX;
  // A URL has one form for each address.
  const [left = '', right] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::');
  const [head, tail] = [left, right ?? ''].map((half) => half.split(':').filter((part) => part !== ''));
  const zeros = Array.from({ length: 8 - (head?.length ?? 0) - (tail?.length ?? 0) }, () => '0');
  return [...(head ?? []), ...zeros, ...(tail ?? [])].reduce(
    (sum, part) => (sum << 16n) + BigInt(`0x${part}`),
    0n,
  );
}
