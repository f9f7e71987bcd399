/** `local` for all tabs of this browser, `session` for this tab until it is closed. */
type Area = 'local' | 'session';

/** The text that is stored under a name; null where there is none, storage is unavailable, or on the server. */
export function readStored(name: string, area: Area = 'local'): string | null {
  try {
    return typeof window === 'undefined' ? null : storageOf(area).getItem(name);
  } catch {
    return null;
  }
}

/** Stores a text under a name, or removes it with null; false where storage is unavailable or full. */
export function store(name: string, text: string | null, area: Area = 'local'): boolean {
  try {
    if (text === null) storageOf(area).removeItem(name);
    else storageOf(area).setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

function storageOf(area: Area): Storage {
  return area === 'local' ? window.localStorage : window.sessionStorage;
}
