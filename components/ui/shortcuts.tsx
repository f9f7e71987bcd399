'use client';

import { useLayoutEffect, useRef } from 'react';

export interface Shortcut {
  /** Label of the action in the list of shortcuts. */
  label: string;
  run: (event: KeyboardEvent) => void;
}

/** `page` shortcuts are disabled while a dialog is open; `dialog` ones work only then. */
type Layer = 'page' | 'dialog';

interface Binding {
  combo: string;
  layer: Layer;
  /** Undefined for self-explanatory keys. */
  label: () => string | undefined;
  run: (event: KeyboardEvent) => void;
}

/**
 * Time for the second key of a sequence such as `g f`: long enough for slow typing, short enough to forget a stray
 * `g`.
 */
const SEQUENCE_MS = 1_000;

const bindings = new Set<Binding>();
let pending = '';
let pendingUntil = 0;

/**
 * Keys of the page. A key is named as printed (`j`, `?`, `/`, `[`), a sequence with a space (`g f`), a combination
 * with plus (`mod+enter`; mod is ⌘ on Apple's keyboards, Ctrl elsewhere), the rest by name (`enter`, `escape`,
 * `arrowdown`). Plain keys are ignored while the viewer types or a menu is open. The newest binding of a key wins.
 *
 * `useShortcuts({ j: next, k: previous, 'g f': toFleet, 'mod+enter': confirm }, { layer: 'dialog' })`
 */
export function useShortcuts(
  shortcuts: Record<string, Shortcut | ((event: KeyboardEvent) => void)>,
  { layer = 'page', enabled = true }: { layer?: Layer; enabled?: boolean } = {},
): void {
  const latest = useRef(shortcuts);
  useLayoutEffect(() => {
    latest.current = shortcuts;
  });
  const combos = Object.keys(shortcuts).join('\n');

  // Before the first paint: a key works as soon as its button is there.
  useLayoutEffect(() => {
    if (!enabled) return;
    const mine = combos.split('\n').map((combo): Binding => ({
      combo,
      layer,
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
    return bind(mine);
  }, [combos, layer, enabled]);
}

/** The active keys of the page that have a label, each once. */
export function listShortcuts(): readonly { combo: string; label: string }[] {
  const labels = new Map<string, string>();
  for (const { combo, layer, label } of bindings) {
    const text = label();
    if (layer === 'page' && text !== undefined) labels.set(combo, text);
  }
  return [...labels].map(([combo, label]) => ({ combo, label }));
}

function bind(added: readonly Binding[]): () => void {
  if (bindings.size === 0) document.addEventListener('keydown', onKeyDown);
  for (const binding of added) bindings.add(binding);
  return () => {
    for (const binding of added) bindings.delete(binding);
    if (bindings.size === 0) document.removeEventListener('keydown', onKeyDown);
  };
}

function onKeyDown(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || modifiers.has(event.key)) return;
  const combo = comboOf(event);
  const plain = !combo.includes('mod+') && combo !== 'escape';
  if (plain && isHandledByTarget(event, combo)) return;

  const layer: Layer = document.querySelector('[data-modal]') ? 'dialog' : 'page';
  const sequence = pending !== '' && event.timeStamp < pendingUntil ? `${pending} ${combo}` : combo;
  pending = '';
  const found = find(sequence, layer) ?? find(combo, layer);
  if (found) {
    event.preventDefault();
    found.run(event);
  } else if (plain && startsSequence(combo, layer)) {
    pending = combo;
    pendingUntil = event.timeStamp + SEQUENCE_MS;
  }
}

function find(combo: string, layer: Layer): Binding | undefined {
  return [...bindings].findLast((binding) => binding.combo === combo && binding.layer === layer);
}

function startsSequence(combo: string, layer: Layer): boolean {
  return [...bindings].some((binding) => binding.layer === layer && binding.combo.startsWith(`${combo} `));
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
  return (combo === 'enter' || combo === ' ') && target.closest('a, button, summary') !== null;
}
