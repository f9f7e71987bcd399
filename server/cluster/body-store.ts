import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { parseJson } from '@/lib/kube/json';
import { type Template } from '@/lib/workloads/workload';

interface Body {
  /** Canonical JSON, deflated. */
  bytes: Buffer;
  holders: number;
}

/**
 * Bodies of templates: one deflated copy per hash, counted by its holders and dropped with the last one.
 * A body is about 1 KB here against 5 KB as text and far more as objects.
 */
export class BodyStore {
  readonly #bodies = new Map<string, Body>();

  /** Takes one hold on the body; `text` is called only when the store has no copy yet. */
  hold(id: string, text: () => string): void {
    const known = this.#bodies.get(id);
    if (known !== undefined) {
      known.holders += 1;
      return;
    }
    // Level 1: a third of the time of the default level for a tenth more bytes.
    this.#bodies.set(id, { bytes: deflateRawSync(text(), { level: 1 }), holders: 1 });
  }

  release(id: string): void {
    const body = this.#bodies.get(id);
    if (body === undefined) return;
    body.holders -= 1;
    if (body.holders <= 0) this.#bodies.delete(id);
  }

  /** A fresh copy of the template, or undefined when nobody holds it. */
  read(id: string): Template | undefined {
    const body = this.#bodies.get(id);
    return body && (parseJson(inflateRawSync(body.bytes).toString('utf8')) as Template);
  }

  has(id: string): boolean {
    return this.#bodies.has(id);
  }

  get size(): number {
    return this.#bodies.size;
  }

  get bytes(): number {
    let total = 0;
    for (const body of this.#bodies.values()) total += body.bytes.length;
    return total;
  }
}
