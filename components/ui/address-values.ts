'use client';

import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { usePathname, useSearchParams } from 'next/navigation';
import {
  type AddressParsers,
  type AddressValue,
  type AddressValues,
  readAddress,
  writeAddress,
} from '@/components/ui/address-parsers';

/** Whether the back button undoes a change. */
type HistoryEntry = 'push' | 'replace';

/** Changes values by name; null and a default remove them from the address. */
type ChangeAddressValues<Parsers> = (
  values: { readonly [Name in keyof Parsers]?: AddressValues<Parsers>[Name] | null },
  entry: HistoryEntry,
) => void;

/** Browsers refuse to change the address more often than about a hundred times in ten seconds. */
const BETWEEN_WRITES_MS = 150;

/** Changes that the router has not reported yet: pages show them at once. */
interface Changes {
  pathname: string;
  values: ReadonlyMap<string, string | null>;
}

let changes: Changes | null = null;
let entry: HistoryEntry = 'replace';
let timer: ReturnType<typeof setTimeout> | null = null;
let writtenAtMs = -Infinity;
/** The address as the router knows it. */
let known = '';
const listeners = new Set<() => void>();

/** The part of the page's state that its address holds, and how to change it. `parsers` must be a constant. */
export function useAddressValues<Parsers extends AddressParsers>(
  parsers: Parsers,
): [AddressValues<Parsers>, ChangeAddressValues<Parsers>] {
  const reported = useSearchParams();
  const pathname = usePathname();
  const unreported = useSyncExternalStore(
    subscribe,
    () => changes,
    () => null,
  );
  useEffect(() => report(reported), [reported]);
  // Of these values alone: others change more often.
  const search = new URLSearchParams([...reported].filter(([name]) => name in parsers));
  if (unreported?.pathname === pathname) applyTo(search, unreported.values);
  const text = search.toString();
  const values = useMemo(() => readAddress(parsers, new URLSearchParams(text)), [parsers, text]);
  const change = useCallback<ChangeAddressValues<Parsers>>(
    (next, as) => queue(writeAddress(parsers, next as Record<string, AddressValue | null>), as),
    [parsers],
  );
  return [values, change];
}

function queue(values: ReadonlyMap<string, string | null>, as: HistoryEntry): void {
  const { pathname } = window.location;
  const earlier = changes?.pathname === pathname ? changes.values : [];
  if (as === 'push') entry = 'push';
  timer ??= setTimeout(write, Math.max(0, writtenAtMs + BETWEEN_WRITES_MS - performance.now()));
  set({ pathname, values: new Map([...earlier, ...values]) });
}

/** Changes that were made together, or shortly after another, are one entry of the history. */
function write(): void {
  const { pathname, hash } = window.location;
  const as = entry;
  timer = null;
  entry = 'replace';
  if (changes?.pathname !== pathname) return set(null);
  const before = new URLSearchParams(window.location.search);
  const after = new URLSearchParams(before);
  applyTo(after, changes.values);
  if (after.toString() === before.toString()) return forgetReported();
  writtenAtMs = performance.now();
  const address = `${pathname}${after.size === 0 ? '' : `?${readable(after)}`}${hash}`;
  if (as === 'push') window.history.pushState(null, '', address);
  else window.history.replaceState(null, '', address);
}

/** A link says `12:24` and `a/b`, which need no escape in a query. */
function readable(search: URLSearchParams): string {
  return search.toString().replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%2C', ',');
}

function report(search: URLSearchParams): void {
  known = search.toString();
  forgetReported();
}

/** Once the router has reported the address, it is right about every value. */
function forgetReported(): void {
  if (changes === null || timer !== null) return;
  if (new URLSearchParams(window.location.search).toString() === known) set(null);
}

function applyTo(search: URLSearchParams, values: ReadonlyMap<string, string | null>): void {
  for (const [name, value] of values) {
    if (value === null) search.delete(name);
    else search.set(name, value);
  }
}

function set(next: Changes | null): void {
  changes = next;
  for (const listener of [...listeners]) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) drop();
  };
}

/** A page that has been left changes no address. */
function drop(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  entry = 'replace';
  changes = null;
}
