'use client';

import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { createListeners } from '@/components/ui/listeners';

export interface Shortcut {
  /** Label of the action in the list of all keys. */
  label: string;
  /** Short label in the footer, without which the key is only in the list. Neighbors with one hint share it. */
  hint?: string;
  run: (event: KeyboardEvent) => void;
}

/** `dialog` shortcuts work while a dialog is open, the others only while none is; `everywhere` is on every page. */
type Layer = 'page' | 'everywhere' | 'dialog';

interface Binding {
  combo: string;
  layer: Layer;
  hint: string | undefined;
  /** Undefined for self-explanatory keys. */
  label: () => string | undefined;
  run: (event: KeyboardEvent) => void;
}

/** Keys in the footer: `j` and `k`, "rollout". */
export interface KeyHint {
  combos: readonly string[];
  label: string;
}

/**
 * Time for the second key of a sequence such as `g f`: long enough for slow typing, short enough to forget a stray
 * `g`.
 */
const SEQUENCE_MS = 1_000;

/** An older key was pressed for a page that looked different. */
const EARLY_KEY_MS = 10_000;

declare global {
  interface Window {
    /** Keys that were pressed before the page had bound any of its own; undefined from then on. */
    earlyKeys?: KeyboardEvent[];
  }
}

/** Those of them that have not run: what they act on may still be loading. */
let early: KeyboardEvent[] = [];

/** One for each `useShortcuts`, the newest last. */
const tables = new Set<readonly Binding[]>();
let hints: readonly KeyHint[] = [];
const { subscribe, notify } = createListeners();
let pending = '';
let pendingUntil = 0;

/**
 * Binds keys; the footer and the list of all keys show the same table. A key is named as printed (`j`, `?`, `/`, `[`), a
 * sequence with a space (`g f`), a combination with plus (`mod+enter`; mod is ⌘ on Apple's keyboards, Ctrl elsewhere),
 * the rest by name (`enter`, `escape`, `arrowdown`). Plain keys are ignored while the viewer types or a menu is open. The
 * newest binding of a key wins.
 *
 * `useShortcuts({ j: { label: 'Next rollout', hint: 'rollout', run: next }, 'mod+enter': confirm })`
 */
export function useShortcuts(
  shortcuts: Record<string, Shortcut | ((event: KeyboardEvent) => void)>,
  { layer = 'page', enabled = true }: { layer?: Layer; enabled?: boolean } = {},
): void {
  const latest = useRef(shortcuts);
  useLayoutEffect(() => {
    latest.current = shortcuts;
  });
  const keys = JSON.stringify(
    Object.entries(shortcuts).map(([combo, shortcut]) => [combo, hintOf(shortcut)]),
  );

  // Before the first paint: a key works as soon as its button is there.
  useLayoutEffect(() => {
    if (!enabled) return;
    const table = (JSON.parse(keys) as [string, string | null][]).map(([combo, hint]): Binding => ({
      combo,
      layer,
      hint: hint ?? undefined,
      label: () => {
        const shortcut = latest.current[combo];
        return typeof shortcut === 'function' ? undefined : shortcut?.label;
      },
      run: (event) => {
        const shortcut = latest.current[combo];
        if (typeof shortcut === 'function') shortcut(event);
        else shortcut?.run(event);
      },
    }));
    return bind(table);
  }, [keys, layer, enabled]);
}

/** The active keys that have a label, each once: those of the page before those of every page. */
export function listShortcuts(): readonly { combo: string; label: string; layer: Layer }[] {
  const active = activeBindings();
  return active.flatMap(({ combo, layer, label }, index) => {
    const text = label();
    const isHidden = active.findIndex((other) => other.combo === combo) < index;
    return text === undefined || isHidden ? [] : [{ combo, label: text, layer }];
  });
}

/** The keys for the footer. */
export function useKeyHints(): readonly KeyHint[] {
  return useSyncExternalStore(
    subscribe,
    () => hints,
    () => keysNotReady,
  );
}

/** The hints before the page has bound its keys. */
export const keysNotReady: readonly KeyHint[] = [];

function bind(table: readonly Binding[]): () => void {
  if (tables.size === 0) document.addEventListener('keydown', onKeyDown);
  tables.add(table);
  if (window.earlyKeys !== undefined && table.some(({ layer }) => layer === 'page')) takeEarlyKeys();
  // After the other parts of the page have bound theirs.
  if (early.length > 0) setTimeout(runEarlyKey);
  updateHints();
  return () => {
    tables.delete(table);
    if (tables.size === 0) document.removeEventListener('keydown', onKeyDown);
    updateHints();
  };
}

/** Combinations with Ctrl or ⌘ were the browser's while the page did not handle them. */
function takeEarlyKeys(): void {
  const isOurs = (event: KeyboardEvent) =>
    !event.defaultPrevented && !event.ctrlKey && !event.metaKey && !isHandledByTarget(event, comboOf(event));
  early = (window.earlyKeys ?? []).filter(isOurs);
  window.earlyKeys = undefined;
}

/** Runs the first that has not run once its key is bound, and then the next: each may change what the next one does. */
function runEarlyKey(): void {
  const since = performance.now() - EARLY_KEY_MS;
  early = early.filter(({ timeStamp }) => timeStamp > since);
  const [event] = early;
  if (event === undefined) return;
  const combo = comboOf(event);
  const isBound = [combo, `${pending} ${combo}`].some((keys) => find(keys, false) !== undefined);
  if (!isBound && !startsSequence(combo, false)) return;
  early.shift();
  const { key, altKey, shiftKey } = event;
  document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key, altKey, shiftKey, bubbles: true, cancelable: true }),
  );
  setTimeout(runEarlyKey);
}

function updateHints(): void {
  const next: { combos: string[]; label: string }[] = [];
  for (const { combo, hint } of activeBindings()) {
    if (hint === undefined) continue;
    const last = next.at(-1);
    if (last?.label === hint) last.combos.push(combo);
    else next.push({ combos: [combo], label: hint });
  }
  hints = next;
  notify();
}

/** The newest table first: that of a page is newer than those of its parts. */
function activeBindings(): Binding[] {
  return [...tables].reverse().flatMap((table) => table.filter(({ layer }) => layer !== 'dialog'));
}

function hintOf(shortcut: Shortcut | ((event: KeyboardEvent) => void)): string | undefined {
  return typeof shortcut === 'function' ? undefined : shortcut.hint;
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || modifiers.has(event.key)) return;
  const combo = comboOf(event);
  const plain = !combo.includes('mod+') && combo !== 'escape';
  if (plain && isHandledByTarget(event, combo)) return;

  const inDialog = document.querySelector('[data-modal]') !== null;
  const sequence = pending !== '' && event.timeStamp < pendingUntil ? `${pending} ${combo}` : combo;
  pending = '';
  const found = find(sequence, inDialog) ?? find(combo, inDialog);
  if (found) {
    event.preventDefault();
    found.run(event);
  } else if (plain && startsSequence(combo, inDialog)) {
    pending = combo;
    pendingUntil = event.timeStamp + SEQUENCE_MS;
  }
}

function find(combo: string, inDialog: boolean): Binding | undefined {
  return bindingsOf(inDialog).findLast((binding) => binding.combo === combo);
}

function startsSequence(combo: string, inDialog: boolean): boolean {
  return bindingsOf(inDialog).some((binding) => binding.combo.startsWith(`${combo} `));
}

function bindingsOf(inDialog: boolean): Binding[] {
  return [...tables].flat().filter(({ layer }) => (layer === 'dialog') === inDialog);
}

const modifiers = new Set(['Shift', 'Control', 'Alt', 'Meta', 'AltGraph']);

/** Shift is omitted: it is part of the printed key (`?`), and only named with keys that print nothing. */
function comboOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key : event.key.toLowerCase();
  const mod = event.metaKey || event.ctrlKey ? 'mod+' : '';
  const alt = event.altKey && event.key.length > 1 ? 'alt+' : '';
  const shift = event.shiftKey && event.key.length > 1 ? 'shift+' : '';
  return `${mod}${alt}${shift}${mod === '' ? key : key.toLowerCase()}`;
}

/** The viewer types, a menu handles letters itself, or Enter and Space belong to the focused control. */
function isHandledByTarget(event: KeyboardEvent, combo: string): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  if (
    target.isContentEditable ||
    target.closest('[role=menu], [role=listbox], [role=combobox], select, textarea')
  )
    return true;
  if (target instanceof HTMLInputElement && !['checkbox', 'radio', 'button'].includes(target.type))
    return true;
  if (target instanceof HTMLInputElement && combo.startsWith('arrow')) return true;
  if (combo === ' ' && target instanceof HTMLInputElement) return true;
  return (combo === 'enter' || combo === ' ') && target.closest('a, button, summary') !== null;
}
