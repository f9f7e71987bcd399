import 'server-only';
import { LRUCache } from 'lru-cache';
import { type TemplateFacts } from '@/lib/workloads/workload';
import { type ClusterCache } from '@/server/cluster/cache';
import { type Keys } from '@/server/keys';
import { maskedDiff } from '@/server/mask';

export interface Summary {
  text: string;
  risks: number;
}

/** A summary is a line of text; 20,000 are a few MB and cover the histories of a large fleet. */
const SUMMARIES_MAX = 20_000;

/** One-line summaries between two templates, computed on first use and kept by the pair of their hashes. */
export class Summaries {
  readonly #known = new LRUCache<string, Summary>({ max: SUMMARIES_MAX });
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** Null when a body is gone meanwhile. */
  between(cache: ClusterCache, before: TemplateFacts, after: TemplateFacts): Summary | null {
    const pair = `${before.bodyId} ${after.bodyId}`;
    const known = this.#known.get(pair);
    if (known !== undefined) return known;
    const from = cache.template(before.bodyId);
    const to = cache.template(after.bodyId);
    if (from === undefined || to === undefined) return null;
    const diff = maskedDiff(this.#keys, from, to);
    const summary = {
      text: diff.summary,
      risks: diff.changes.filter((change) => change.risk !== null).length,
    };
    this.#known.set(pair, summary);
    return summary;
  }
}
