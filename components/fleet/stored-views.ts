'use client';

import { useSyncExternalStore } from 'react';
import { fleetParsers } from '@/components/fleet/fleet-address';
import { readStored, store } from '@/components/ui/browser-storage';

/** Filters by the names of the address: all of them text. */
export type ViewFilters = Readonly<Record<string, string>>;

interface SavedView {
  name: string;
  filters: ViewFilters;
}

export interface StoredViews {
  views: readonly SavedView[];
  /** Name of the view that the page opens with; null: all workloads. */
  initial: string | null;
}

const STORAGE_KEY = 'shiplog.views';
export const VIEWS_MAX = 30;
export const VIEW_NAME_MAX = 60;
const FILTER_MAX = 1_000;

const none: StoredViews = { views: [], initial: null };
const listeners = new Set<() => void>();
let known: { text: string | null; stored: StoredViews } = { text: null, stored: none };

/** The saved views of this browser. */
export function useStoredViews(): StoredViews {
  return useSyncExternalStore(subscribe, readStoredViews, () => none);
}

export function readStoredViews(): StoredViews {
  const text = readStored(STORAGE_KEY, 'browser');
  if (text !== known.text) known = { text, stored: parse(text) };
  return known.stored;
}

/** Keeps them in this browser; false where it keeps nothing. */
export function storeViews(stored: StoredViews): boolean {
  if (!store(STORAGE_KEY, JSON.stringify(stored), 'browser')) return false;
  for (const listener of [...listeners]) listener();
  return true;
}

/** Two sets of filters that select the same. */
export function isSameView(a: ViewFilters, b: ViewFilters): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** Whatever is in the storage: an earlier version, or another page of this host, may have written it. */
function parse(text: string | null): StoredViews {
  if (text === null) return none;
  try {
    const { views, initial } = JSON.parse(text) as Record<string, unknown>;
    const read = (Array.isArray(views) ? views : []).flatMap((view: unknown) => readView(view) ?? []);
    const isKnown = read.some(({ name }) => name === initial);
    return { views: read.slice(0, VIEWS_MAX), initial: isKnown ? (initial as string) : null };
  } catch {
    return none;
  }
}

/** Of the address, or of the clusters. */
function isFilterName(name: string): boolean {
  return Object.hasOwn(fleetParsers, name) || name === 'cluster' || name === 'stage';
}

function readView(view: unknown): SavedView | null {
  if (view === null || typeof view !== 'object') return null;
  const { name, filters } = view as Record<string, unknown>;
  if (typeof name !== 'string' || name === '' || filters === null || typeof filters !== 'object') return null;
  const entries = Object.entries(filters).filter(
    (entry): entry is [string, string] =>
      isFilterName(entry[0]) && typeof entry[1] === 'string' && entry[1].length <= FILTER_MAX,
  );
  return { name: name.slice(0, VIEW_NAME_MAX), filters: Object.fromEntries(entries) };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab changed them.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
