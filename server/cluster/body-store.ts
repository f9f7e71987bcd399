import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { parseJson } from '@/lib/kube/json';
import { type Template } from '@/lib/workloads/workload';
import { unpack } from '@/server/cluster/unpack';

interface Body {
  holders: number;
  /** Undefined while the text waits for a block to be filled. */
  block: Block | undefined;
  /** Characters of the block's text. */
  start: number;
  end: number;
}

interface Block {
  /**
   * The canonical JSON of several bodies, one after the other, deflated; a character for each byte, since thousands of
   * small buffers outside of the heap keep the memory between them from being given back.
   */
  bytes: string;
  ids: readonly string[];
  chars: number;
  charsHeld: number;
}

export interface BodyStoreOptions {
  /** Characters of text that may wait to be deflated while bodies still come in. */
  readonly waitingMax?: number;
}

/** As far as deflate looks back: revisions of one workload differ little and arrive together. */
const BLOCK_CHARS = 32 * 1024;

/** A first list of some ten thousand revisions is ready sooner by what deflating takes. */
const WAITING_MAX = 32 * 1024 * 1024;

/** Without a new body for so long, the rush is over. */
const QUIET_MS = 200;

/** What a request may have to wait for, and what it gets in between. */
const SLICE_MS = 5;
const PAUSE_MS = 15;

/** A history lies in one block or two, the present template in another. */
const TEXTS_MAX = 8;

/** How the text of a body begins that is compressed already. */
const PACKED = '{"packed":';

/**
 * Bodies of templates: one copy per hash, counted by its holders and dropped with the last one. They are deflated in
 * blocks of neighbours, which takes a tenth of the time and of the bytes that each by itself would: 0.1 to 0.2 KB
 * instead of 2 KB of text.
 */
export class BodyStore {
  readonly #bodies = new Map<string, Body>();
  readonly #waiting = new Map<string, string>();
  readonly #blocks = new Set<Block>();
  readonly #waitingMax: number;
  #charsWaiting = 0;
  /** Something has come since the timer was set. */
  #isBusy = false;
  #timer: NodeJS.Timeout | undefined;
  /** Why a compressed body cannot be read, null where it can, once that was tried: what was made to hurt is not inflated twice. */
  readonly #problems = new Map<string, string | null>();
  /** Whoever reads one revision reads its neighbours next. */
  readonly #texts = new LRUCache<Block, string>({ max: TEXTS_MAX });

  constructor({ waitingMax = WAITING_MAX }: BodyStoreOptions = {}) {
    this.#waitingMax = waitingMax;
  }

  /** Takes one hold on the body; `text` is called only when the store has no copy yet. */
  hold(id: string, text: () => string): void {
    const known = this.#bodies.get(id);
    if (known !== undefined) {
      known.holders += 1;
      return;
    }
    this.#bodies.set(id, { holders: 1, block: undefined, start: 0, end: 0 });
    this.#wait(id, text());
    while (this.#charsWaiting > this.#waitingMax) this.#pack();
    this.#isBusy = true;
    this.#packWhenQuiet();
  }

  release(id: string): void {
    const body = this.#bodies.get(id);
    if (body === undefined) return;
    body.holders -= 1;
    if (body.holders > 0) return;
    this.#bodies.delete(id);
    this.#problems.delete(id);
    this.#charsWaiting -= this.#waiting.get(id)?.length ?? 0;
    this.#waiting.delete(id);
    if (body.block !== undefined) this.#leave(body.block, body.end - body.start);
  }

  /** A fresh copy of the template, or undefined when nobody holds it, or it {@link problemOf cannot be read}. */
  read(id: string): Template | undefined {
    const text = this.#textOf(id);
    if (text === undefined || this.#problems.get(id) != null) return undefined;
    // What is packed has no numbers to be kept to the letter.
    if (!text.startsWith(PACKED)) return parseJson(text) as Template;
    const { template, problem } = unpack(JSON.parse(text) as Template);
    this.#problems.set(id, problem);
    return template ?? undefined;
  }

  /** Why a body that is held cannot be read; null where it can, or is not held. */
  problemOf(id: string): string | null {
    const known = this.#problems.get(id);
    if (known !== undefined) return known;
    if (this.#textOf(id)?.startsWith(PACKED) !== true) return null;
    this.read(id);
    return this.#problems.get(id) ?? null;
  }

  has(id: string): boolean {
    return this.#bodies.has(id);
  }

  get size(): number {
    return this.#bodies.size;
  }

  /** Bytes of all blocks, and characters of what waits for one. */
  get bytes(): number {
    let total = this.#charsWaiting;
    for (const { bytes } of this.#blocks) total += bytes.length;
    return total;
  }

  #wait(id: string, text: string): void {
    this.#waiting.set(id, text);
    this.#charsWaiting += text.length;
  }

  #packWhenQuiet(afterMs = QUIET_MS): void {
    if (this.#timer !== undefined || this.#charsWaiting < BLOCK_CHARS) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const start = performance.now();
      const isQuiet = !this.#isBusy;
      this.#isBusy = false;
      while (isQuiet && this.#charsWaiting >= BLOCK_CHARS && performance.now() - start < SLICE_MS)
        this.#pack();
      this.#packWhenQuiet(isQuiet ? PAUSE_MS : QUIET_MS);
    }, afterMs).unref();
  }

  /** Deflates the bodies that have waited longest, as many as fill a block. */
  #pack(): void {
    const ids: string[] = [];
    let text = '';
    const block: Block = { bytes: '', ids, chars: 0, charsHeld: 0 };
    for (const [id, part] of this.#waiting) {
      const body = this.#bodies.get(id);
      if (body !== undefined)
        Object.assign(body, { block, start: text.length, end: text.length + part.length });
      ids.push(id);
      text += part;
      this.#waiting.delete(id);
      if (text.length >= BLOCK_CHARS) break;
    }
    this.#charsWaiting -= text.length;
    block.bytes = deflateRawSync(text, { level: 1 }).toString('latin1');
    block.chars = block.charsHeld = text.length;
    this.#blocks.add(block);
  }

  /** A block that is more than half empty is given up, and what is left of it goes into another. */
  #leave(block: Block, chars: number): void {
    block.charsHeld -= chars;
    if (block.charsHeld * 2 >= block.chars) return;
    for (const id of block.ids) {
      const body = this.#bodies.get(id);
      if (body?.block !== block) continue;
      this.#wait(id, this.#textIn(body));
      body.block = undefined;
    }
    this.#blocks.delete(block);
    this.#texts.delete(block);
    this.#packWhenQuiet();
  }

  #textOf(id: string): string | undefined {
    const body = this.#bodies.get(id);
    return body && (this.#waiting.get(id) ?? this.#textIn(body));
  }

  #textIn({ block, start, end }: Body): string {
    if (block === undefined) return '';
    let text = this.#texts.get(block);
    if (text === undefined) {
      text = inflateRawSync(Buffer.from(block.bytes, 'latin1')).toString('utf8');
      this.#texts.set(block, text);
    }
    return text.slice(start, end);
  }
}
