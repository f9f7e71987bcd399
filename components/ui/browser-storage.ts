/**
 * `local` for all tabs of the viewer in this browser, `session` for this tab until it is closed, `browser` for every
 * viewer in this browser.
 */
type Area = 'local' | 'session' | 'browser';

/** The text that is stored under a name; null where there is none, storage is unavailable, or on the server. */
export function readStored(name: string, area: Area = 'local'): string | null {
  try {
    return typeof window === 'undefined' ? null : storageOf(area).getItem(keyOf(name, area));
  } catch {
    return null;
  }
}

/** Stores a text under a name, or removes it with null; false where storage is unavailable or full. */
export function store(name: string, text: string | null, area: Area = 'local'): boolean {
  try {
    if (text === null) storageOf(area).removeItem(keyOf(name, area));
    else storageOf(area).setItem(keyOf(name, area), text);
    return true;
  } catch {
    return false;
  }
}

/** Starts every name that belongs to the viewer; the document states their id, encoded. In the browser only. */
export function viewerPrefix(): string {
  return `shiplog/${document.documentElement.dataset.viewer}/`;
}

function keyOf(name: string, area: Area): string {
  return area === 'browser' ? name : viewerPrefix() + name;
}

function storageOf(area: Area): Storage {
  return area === 'session' ? window.sessionStorage : window.localStorage;
}
