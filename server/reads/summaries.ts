import 'server-only';
import { LRUCache } from 'lru-cache';
import { type Template, type TemplateFacts } from '@/lib/workloads/workload';
import { type ClusterCache } from '@/server/cluster/cache';
import { type Keys } from '@/server/keys';
import { diffOfMasked, maskTemplate } from '@/server/mask';

export interface Summary {
  text: string;
  risks: number;
}

/** A summary is a line of text; 20,000 are a few MB and cover the histories of a large fleet. */
const SUMMARIES_MAX = 20_000;

/** In a history every template is the later one of one pair and the earlier one of the next. */
const MASKED_MAX = 32;

/** One-line summaries between two templates, computed on first use and kept by the pair of their hashes. */
export class Summaries {
  readonly #known = new LRUCache<string, Summary>({ max: SUMMARIES_MAX });
  readonly #masked = new LRUCache<string, Template>({ max: MASKED_MAX });
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** Null when a body is gone meanwhile. */
  between(cache: ClusterCache, before: TemplateFacts, after: TemplateFacts): Summary | null {
    const pair = `${before.bodyId} ${after.bodyId}`;
    const known = this.#known.get(pair);
    if (known !== undefined) return known;
    const from = this.#maskedBody(cache, before.bodyId);
    const to = this.#maskedBody(cache, after.bodyId);
    if (from === undefined || to === undefined) return null;
    const diff = diffOfMasked([from, to], () => [
      cache.template(before.bodyId) ?? {},
      cache.template(after.bodyId) ?? {},
    ]);
    const summary = {
      text: diff.summary,
      risks: diff.changes.filter((change) => change.risk !== null).length,
    };
    this.#known.set(pair, summary);
    return summary;
  }

  #maskedBody(cache: ClusterCache, bodyId: string): Template | undefined {
    const known = this.#masked.get(bodyId);
    if (known !== undefined) return known;
    const body = cache.template(bodyId);
    if (body === undefined) return undefined;
    const masked = maskTemplate(body, this.#keys);
    this.#masked.set(bodyId, masked);
    return masked;
  }
}
