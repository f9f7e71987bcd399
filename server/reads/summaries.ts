import 'server-only';
import { LRUCache } from 'lru-cache';
import { type Template, type TemplateFacts } from '@/lib/workloads/workload';
import { type ClusterCache } from '@/server/cluster/cache';
import { type Keys } from '@/server/keys';
import { diffOfMasked, maskTemplate } from '@/server/mask';

export interface Summary {
  text: string;
  risks: number;
  restartOnly: boolean;
}

/** A template under a key that no other template has. */
export interface SummarySide {
  key: string;
  /** Undefined when it is gone meanwhile. */
  template: () => Template | undefined;
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
    const sideOf = ({ bodyId }: TemplateFacts) => ({ key: bodyId, template: () => cache.template(bodyId) });
    return this.known(before.bodyId, after.bodyId) ?? this.compare(sideOf(before), sideOf(after));
  }

  /** That of two keys, where it has been computed before. */
  known(before: string, after: string): Summary | undefined {
    return this.#known.get(`${before} ${after}`);
  }

  compare(before: SummarySide, after: SummarySide): Summary | null {
    const from = this.#maskedOf(before);
    const to = this.#maskedOf(after);
    if (from === undefined || to === undefined) return null;
    const diff = diffOfMasked([from, to], () => [before.template() ?? {}, after.template() ?? {}]);
    const summary = {
      text: diff.summary,
      risks: diff.changes.filter((change) => change.risk !== null).length,
      restartOnly: diff.restartOnly,
    };
    this.#known.set(`${before.key} ${after.key}`, summary);
    return summary;
  }

  #maskedOf({ key, template }: SummarySide): Template | undefined {
    const known = this.#masked.get(key);
    if (known !== undefined) return known;
    const body = template();
    if (body === undefined) return undefined;
    const masked = maskTemplate(body, this.#keys);
    this.#masked.set(key, masked);
    return masked;
  }
}
