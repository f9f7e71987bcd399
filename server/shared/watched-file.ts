import { constants, type FSWatcher, lstatSync, readlinkSync, watch } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join, parse, resolve, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '@/lib/errors';
import { type Clock, systemClock } from '@/server/shared/clock';

export type FileContent =
  | { readonly state: 'read'; readonly text: string }
  /** It is absent, too long, or not readable at the moment; `problem` is a sentence. */
  | { readonly state: 'unreadable'; readonly problem: string };

export interface WatchedFileOptions {
  readonly path: string;
  readonly bytesMax: number;
  /** What the caller has read before; the first call is about something else. */
  readonly known?: FileContent;
  /** Called when the content differs from that of the last call; must not throw. */
  readonly onContent: (content: FileContent) => void;
  /** For the poll, and for the pause after a change. */
  readonly clock?: Clock;
}

/** For file systems that report no changes, such as those of a network. */
const POLL_MS = 60_000;
/** An editor may write a file in several steps. */
const SETTLE_MS = 100;
/** As in Linux; a longer chain of symbolic links is a circle. */
const LINKS_MAX = 40;

/**
 * Follows the content of a file, from its construction until `close`. The file may be a symbolic link, or in a folder
 * that is one: the kubelet updates the files of a ConfigMap by renaming such a link.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/volume/util/atomic_writer.go
 */
export class WatchedFile {
  readonly #options: WatchedFileOptions;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #watchers: FSWatcher[] = [];
  #last: FileContent | undefined;

  constructor(options: WatchedFileOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#last = options.known;
    this.#running = this.#run();
  }

  /** No call follows. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const changed = new AbortController();
      // First, so that no change is lost between the two.
      this.#watch(() => changed.abort());
      await this.#read();
      await this.#clock.sleep(POLL_MS, AbortSignal.any([signal, changed.signal])).catch(() => undefined);
      if (changed.signal.aborted) await this.#clock.sleep(SETTLE_MS, signal).catch(() => undefined);
    }
    this.#unwatch();
  }

  /** Anew each time: a folder may have been replaced by another of its name. */
  #watch(onEvent: () => void): void {
    this.#unwatch();
    for (const folder of foldersOf(this.#options.path)) {
      try {
        const watcher = watch(folder, { persistent: false }, onEvent);
        watcher.on('error', () => undefined);
        this.#watchers.push(watcher);
      } catch {
        // The poll finds changes, too.
      }
    }
  }

  #unwatch(): void {
    for (const watcher of this.#watchers.splice(0)) watcher.close();
  }

  async #read(): Promise<void> {
    const { path, bytesMax, onContent } = this.#options;
    const content = await readContent(path, bytesMax);
    if (this.#closing.signal.aborted || isDeepStrictEqual(content, this.#last)) return;
    this.#last = content;
    onContent(content);
  }
}

async function readContent(path: string, bytesMax: number): Promise<FileContent> {
  let file: FileHandle | undefined;
  try {
    // Without it, opening a named pipe would wait for a writer.
    file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) return unreadable(`${path} is not a file.`);
    if (stats.size > bytesMax) return unreadable(`${path} is longer than ${bytesMax} bytes.`);
    return { state: 'read', text: await file.readFile('utf8') };
  } catch (error) {
    return unreadable(`${path} cannot be read: ${messageOf(error)}.`);
  } finally {
    await file?.close();
  }
}

function unreadable(problem: string): FileContent {
  return { state: 'unreadable', problem };
}

/** The folders in which a change can lead the path to other content: of the file, and of each link to it. */
function foldersOf(path: string): Set<string> {
  const folders = new Set<string>();
  let rest = resolve(path);
  for (let links = 0; links < LINKS_MAX; links += 1) {
    const link = firstLinkOf(rest);
    if (link === undefined) break;
    folders.add(dirname(link.path));
    rest = join(link.target, rest.slice(link.path.length));
  }
  return folders.add(dirname(rest));
}

/** The first part of a path that is a symbolic link. */
function firstLinkOf(path: string): { path: string; target: string } | undefined {
  const { root } = parse(path);
  let part = root;
  for (const name of path.slice(root.length).split(sep)) {
    part = join(part, name);
    try {
      if (lstatSync(part).isSymbolicLink())
        return { path: part, target: resolve(dirname(part), readlinkSync(part)) };
    } catch {
      return undefined;
    }
  }
  return undefined;
}
