import 'server-only';
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { canonicalJson } from '@/lib/kube/json';
import type { ClusterCache } from '@/server/cluster/cache';

/** The revisions of a large fleet, each as two short texts. */
const KNOWN_MAX = 200_000;

/**
 * The hash in the archive of a body that the cache has under its own id: the same in another notation, but of a packed
 * body that of the template in it, computed once.
 */
export class TemplateHashes {
  readonly #cache: Pick<ClusterCache, 'template' | 'isPacked'>;
  // Bounded by a size, since memory for a maximum of entries would be allocated at once, for each cluster.
  readonly #known = new LRUCache<string, string>({ maxSize: KNOWN_MAX, sizeCalculation: () => 1 });

  constructor(cache: Pick<ClusterCache, 'template' | 'isPacked'>) {
    this.#cache = cache;
  }

  /** The id itself of a packed body that can't be read: nothing is archived under it. */
  of(bodyId: string): string {
    const known = this.#known.get(bodyId);
    if (known !== undefined) return known;
    if (!this.#cache.isPacked(bodyId)) return Buffer.from(bodyId, 'base64url').toString('hex');
    const body = this.#cache.template(bodyId);
    if (body === undefined) return bodyId;
    const found = hash('sha256', canonicalJson(body), 'hex');
    this.#known.set(bodyId, found);
    return found;
  }
}
