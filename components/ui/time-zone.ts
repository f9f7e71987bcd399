import { readStored, store } from '@/components/ui/browser-storage';

/**
 * The zone of all times that the viewer sees: that of the browser, or UTC, which people in several zones share.
 * The choice is kept by the browser.
 */
const STORED_AS = 'shiplog.zone';
/** Cached: every time on the page uses it at each render, and the browser is slow to answer. */
const ZONE_CACHED_MS = 10_000;

let local = { name: '', askedMs: -Infinity };
/** Undefined until it was read from the storage. */
let isUtc: boolean | undefined;
const listeners = new Set<() => void>();

/** The browser's zone as an IANA name; any name of UTC is "UTC". */
export function localZone(): string {
  const nowMs = performance.now();
  if (nowMs - local.askedMs > ZONE_CACHED_MS) {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    local = { name: /^(Etc\/)?(UTC|UCT|GMT|Zulu)$/.test(timeZone) ? 'UTC' : timeZone, askedMs: nowMs };
  }
  return local.name;
}

/** The zone of the viewer's choice. */
export function chosenZone(): string {
  isUtc ??= readChoice();
  return isUtc ? 'UTC' : localZone();
}

export function chooseZone(choice: 'utc' | 'local'): void {
  isUtc = choice === 'utc';
  // Where it cannot be stored, the choice lasts as long as the page.
  store(STORED_AS, isUtc ? choice : null, 'browser');
  tellAll();
}

/** Calls back when the choice changes, in another tab too; returns the unsubscribe function. */
export function subscribeZone(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('storage', readAgain);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('storage', readAgain);
  };
}

function readAgain({ key }: StorageEvent): void {
  if (key !== null && key !== STORED_AS) return;
  isUtc = readChoice();
  tellAll();
}

function readChoice(): boolean {
  return readStored(STORED_AS, 'browser') === 'utc';
}

function tellAll(): void {
  for (const listener of [...listeners]) listener();
}
