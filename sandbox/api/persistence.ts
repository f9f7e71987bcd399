import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '@/lib/kube/json';
import type { IdSource } from '@/sandbox/api/api-core';
import type { ObjectStore, StoreSnapshot } from '@/sandbox/api/object-store';
import { numberOrZeroAt } from '@/sandbox/api/objects/stored-object';

/** In the folder of the state. */
export const CLUSTER_FILE = 'cluster.json';
/** Changes come in bursts; one write for all of them. */
const SAVE_AFTER_MS = 1_000;
/** More versions than can have been issued after the last save, so that none is issued twice. */
const VERSION_GAP = 1_000_000;

/** Saves a copy of the store to a file. */
interface Persistence {
  /** Saves now, if anything has changed. */
  save(): void;
  /** Saves, and stops saving. */
  stop(): void;
}

/**
 * Restores what was saved in the directory, and saves from now on: at most once a second, or only at the end. A save
 * is atomic: it goes to another file, which then replaces the first. Throws Error on a file that cannot be read.
 */
export function persist(
  directory: string,
  store: ObjectStore,
  ids: IdSource,
  when: 'always' | 'atEnd' = 'always',
): Persistence {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, CLUSTER_FILE);
  if (existsSync(file)) load(file, store, ids);
  let saved = store.version;
  let timer: NodeJS.Timeout | undefined;
  const save = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (store.version === saved) return;
    const { version } = store;
    const text = JSON.stringify({ ids: ids.count, ...store.snapshot() });
    writeFileSync(`${file}.tmp`, text, { mode: 0o600, flush: true });
    renameSync(`${file}.tmp`, file);
    saved = version;
  };
  const unsubscribe = store.subscribe(() => {
    if (when === 'always') timer ??= setTimeout(save, SAVE_AFTER_MS).unref();
  });
  const stop = (): void => {
    unsubscribe();
    save();
  };
  return { save, stop };
}

function load(file: string, store: ObjectStore, ids: IdSource): void {
  const content = parseJson(readFileSync(file, 'utf8'));
  if (!isJsonObject(content) || numberOrZeroAt(content, 'version') === 0)
    throw new Error('the saved state of the sandbox is damaged');
  store.restore(content as unknown as StoreSnapshot, VERSION_GAP);
  ids.skipTo(numberOrZeroAt(content, 'ids') + VERSION_GAP);
}
