import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { parseJson } from '@/lib/kube/json';
import type { Template } from '@/lib/history/workload';
import { unpack } from '@/server/cluster/unpack';

interface Body {
  refCount: number;
  /** Undefined while the text waits for a block to be filled. */
  block: Block | undefined;
  /** Characters of the block's text. */
  start: number;
  end: number;
}

interface Block {
  /**
   * The canonical JSON of several bodies, one after the other, deflated; a character for each byte, because
   * thousands of small buffers outside of the heap stop the memory between them from being returned.
   */
  bytes: string;
  ids: readonly string[];
  chars: number;
  charsInUse: number;
}

interface BodyStoreOptions {
  /** Characters of text that may wait to be deflated while bodies still arrive. */
  readonly pendingCharsMax?: number;
}

/** The window of deflate: revisions of one workload differ little and arrive together. */
const BLOCK_CHARS = 32 * 1024;

/** A first list of some ten thousand revisions is ready sooner by the time that deflating takes. */
const PENDING_CHARS_MAX = 32 * 1024 * 1024;

/** The rush is over after this long without a new body. */
const QUIET_MS = 200;

/** How long a request may have to wait in one piece; other requests run in between. */
const SLICE_MS = 5;
const PAUSE_MS = 15;

/** A history lies in one or two blocks, the current template in another. */
const TEXTS_MAX = 8;

/** The prefix of the text of a body that is compressed already. */
const PACKED = '{"packed":';

/**
 * Bodies of templates: one copy per hash, counted by its holders and removed with the last one. Neighbors are
 * deflated together in blocks, which takes a tenth of the time and of the bytes that each by itself would:
 * 0.1 to 0.2 KB instead of 2 KB of text.
 */
export class BodyStore {
  readonly #bodies = new Map<string, Body>();
  readonly #pending = new Map<string, string>();
  readonly #blocks = new Set<Block>();
  readonly #pendingCharsMax: number;
  #pendingChars = 0;
  /** A body arrived since the timer was set. */
  #isBusy = false;
  #timer: NodeJS.Timeout | undefined;
  readonly #packedIds = new Set<string>();
  /**
   * Why a compressed body cannot be read, null where it can, set by the first attempt: a malicious body is
   * not inflated twice.
   */
  readonly #problems = new Map<string, string | null>();
  /** A reader of one revision reads its neighbors next. */
  readonly #texts = new LRUCache<Block, string>({ max: TEXTS_MAX });

  constructor({ pendingCharsMax = PENDING_CHARS_MAX }: BodyStoreOptions = {}) {
    this.#pendingCharsMax = pendingCharsMax;
  }

  /** Takes one hold on the body; `text` is called only when the store has no copy yet. */
  acquire(id: string, text: () => string): void {
    const known = this.#bodies.get(id);
    if (known !== undefined) {
      known.refCount += 1;
      return;
    }
    this.#bodies.set(id, { refCount: 1, block: undefined, start: 0, end: 0 });
    const added = text();
    if (added.startsWith(PACKED)) this.#packedIds.add(id);
    this.#enqueue(id, added);
    while (this.#pendingChars > this.#pendingCharsMax) this.#pack();
    this.#isBusy = true;
    this.#packWhenQuiet();
  }

  release(id: string): void {
    const body = this.#bodies.get(id);
    if (body === undefined) return;
    body.refCount -= 1;
    if (body.refCount > 0) return;
    this.#bodies.delete(id);
    this.#problems.delete(id);
    this.#packedIds.delete(id);
    this.#pendingChars -= this.#pending.get(id)?.length ?? 0;
    this.#pending.delete(id);
    if (body.block !== undefined) this.#releaseChars(body.block, body.end - body.start);
  }

  /** A fresh copy of the template; undefined when it has no holder, or {@link problemOf cannot be read}. */
  read(id: string): Template | undefined {
    const text = this.#textOf(id);
    if (text === undefined || this.#problems.get(id) != null) return undefined;
    // A packed text has no numbers that must be preserved literally.
    if (!this.isPacked(id)) return parseJson(text) as Template;
    const { template, problem } = unpack(JSON.parse(text) as Template);
    this.#problems.set(id, problem);
    return template ?? undefined;
  }

  /** Why a body with holders cannot be read; null where it can, or has no holder. */
  problemOf(id: string): string | null {
    const known = this.#problems.get(id);
    if (known !== undefined) return known;
    if (!this.isPacked(id)) return null;
    this.read(id);
    return this.#problems.get(id) ?? null;
  }

  has(id: string): boolean {
    return this.#bodies.has(id);
  }

  /** Whether its text is compressed: then its id is not the hash of what {@link read} returns. */
  isPacked(id: string): boolean {
    return this.#packedIds.has(id);
  }

  get size(): number {
    return this.#bodies.size;
  }

  /** Bytes of all blocks, and characters of the text that waits for one. */
  get bytes(): number {
    let total = this.#pendingChars;
    for (const { bytes } of this.#blocks) total += bytes.length;
    return total;
  }

  #enqueue(id: string, text: string): void {
    this.#pending.set(id, text);
    this.#pendingChars += text.length;
  }

  #packWhenQuiet(afterMs = QUIET_MS): void {
    if (this.#timer !== undefined || this.#pendingChars < BLOCK_CHARS) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const start = performance.now();
      const isQuiet = !this.#isBusy;
      this.#isBusy = false;
      while (isQuiet && this.#pendingChars >= BLOCK_CHARS && performance.now() - start < SLICE_MS)
        this.#pack();
      this.#packWhenQuiet(isQuiet ? PAUSE_MS : QUIET_MS);
    }, afterMs).unref();
  }

  /** Deflates the bodies that waited longest, as many as fill a block. */
  #pack(): void {
    const ids: string[] = [];
    let text = '';
    const block: Block = { bytes: '', ids, chars: 0, charsInUse: 0 };
    for (const [id, part] of this.#pending) {
      const body = this.#bodies.get(id);
      if (body !== undefined)
        Object.assign(body, { block, start: text.length, end: text.length + part.length });
      ids.push(id);
      text += part;
      this.#pending.delete(id);
      if (text.length >= BLOCK_CHARS) break;
    }
    this.#pendingChars -= text.length;
    block.bytes = deflateRawSync(text, { level: 1 }).toString('latin1');
    block.chars = block.charsInUse = text.length;
    this.#blocks.add(block);
  }

  /** Replaces a block that is more than half empty: its remaining bodies move into another. */
  #releaseChars(block: Block, chars: number): void {
    block.charsInUse -= chars;
    if (block.charsInUse * 2 >= block.chars) return;
    for (const id of block.ids) {
      const body = this.#bodies.get(id);
      if (body?.block !== block) continue;
      this.#enqueue(id, this.#textIn(body));
      body.block = undefined;
    }
    this.#blocks.delete(block);
    this.#texts.delete(block);
    this.#packWhenQuiet();
  }

  #textOf(id: string): string | undefined {
    const body = this.#bodies.get(id);
    return body && (this.#pending.get(id) ?? this.#textIn(body));
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
