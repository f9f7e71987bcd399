import 'server-only';
import { LRUCache } from 'lru-cache';
import type { JsonObject } from '@/lib/kube/json';
import { runToEnd, type Sliced, exceedsSlice } from '@/lib/kube/slices';
import type { Template, TemplateFacts } from '@/lib/history/workload';
import type { Masked } from '@/lib/masked';
import type { ClusterCache } from '@/server/cluster/cache';
import { inSlices } from '@/server/shared/in-slices';
import type { Mask } from '@/server/shared/mask';
import { TurnBudget } from '@/server/shared/turn-budget';

export interface ChangeSummary {
  text: Masked<string>;
  risks: number;
  restartOnly: boolean;
}

/** A template under a unique key. */
export interface SummarySide {
  key: string;
  /** Undefined when it was deleted meanwhile. */
  template: () => Template | undefined;
}

/** A summary is a line of text; 20,000 are a few MB and cover the histories of a large fleet. */
const SUMMARIES_MAX = 20_000;

/**
 * In a history every template is the later one of one pair and the earlier one of the next, and pairs wait in line. Of
 * more, each would live so long that only a full garbage collection ends it.
 */
const TEMPLATES_MAX = 8;

/** This many templates of the usual size are compared in one turn of the event loop: a history has hundreds. */
const COMPARISONS_PER_TURN = 20;

/** Signals that a summary takes more than one turn of the event loop; it is cached when `done` resolves. */
export class ComparisonPending extends Error {
  readonly done: Promise<unknown>;

  constructor(done: Promise<unknown>) {
    super('Two large templates are being compared.');
    this.done = done;
  }
}

/** One-line summaries between two templates, computed on first use and cached by the pair of their hashes. */
export class ChangeSummaries {
  // Bounded by a size, since memory for a maximum of entries would be allocated at once, for each cluster.
  readonly #known = new LRUCache<string, ChangeSummary>({ maxSize: SUMMARIES_MAX, sizeCalculation: () => 1 });
  readonly #templates = new LRUCache<string, Masked<JsonObject>>({ max: TEMPLATES_MAX });
  readonly #pending = new Map<string, Promise<ChangeSummary | null>>();
  readonly #turns = new TurnBudget(COMPARISONS_PER_TURN);
  readonly #mask: Mask;

  constructor(mask: Mask) {
    this.#mask = mask;
  }

  /** Null when a body was deleted meanwhile. */
  async between(
    cache: ClusterCache,
    before: TemplateFacts,
    after: TemplateFacts,
  ): Promise<ChangeSummary | null> {
    return (
      this.known(before.bodyId, after.bodyId) ?? this.compare(sideIn(cache, before), sideIn(cache, after))
    );
  }

  /**
   * The same, synchronously; throws {@link ComparisonPending} where the templates are so large that others would have
   * to wait.
   */
  betweenNow(cache: ClusterCache, before: TemplateFacts, after: TemplateFacts): ChangeSummary | null {
    return this.compareNow(sideIn(cache, before), sideIn(cache, after));
  }

  /** That of two keys, where it has been computed before. */
  known(before: string, after: string): ChangeSummary | undefined {
    return this.#known.get(`${before} ${after}`);
  }

  /** Null when a template was deleted meanwhile. */
  async compare(before: SummarySide, after: SummarySide): Promise<ChangeSummary | null> {
    await this.#turns.acquire();
    const pair = `${before.key} ${after.key}`;
    const pending =
      this.#pending.get(pair) ??
      inSlices(this.#compareInSlices(before, after)).finally(() => this.#pending.delete(pair));
    this.#pending.set(pair, pending);
    return pending;
  }

  /** As {@link compare}, synchronously; throws {@link ComparisonPending} as {@link betweenNow} does. */
  compareNow(before: SummarySide, after: SummarySide): ChangeSummary | null {
    const known = this.known(before.key, after.key);
    if (known !== undefined) return known;
    const sides = [before, after].map((side) => this.#templates.get(side.key) ?? side.template());
    if (exceedsSlice(...sides.filter((side) => side !== undefined)))
      throw new ComparisonPending(this.compare(before, after));
    return runToEnd(this.#compareInSlices(before, after));
  }

  *#compareInSlices(before: SummarySide, after: SummarySide): Sliced<ChangeSummary | null> {
    const from = yield* this.#normalizedOf(before);
    const to = yield* this.#normalizedOf(after);
    if (from === undefined || to === undefined) return null;
    const { summary: text, changes, restartOnly } = yield* this.#mask.changesOfNormalized(from, to);
    const summary = { text, risks: changes.filter(({ risk }) => risk !== null).length, restartOnly };
    this.#known.set(`${before.key} ${after.key}`, summary);
    return summary;
  }

  *#normalizedOf({ key, template }: SummarySide): Sliced<Masked<JsonObject> | undefined> {
    const known = this.#templates.get(key);
    if (known !== undefined) return known;
    const body = template();
    if (body === undefined) return undefined;
    const normalized = yield* this.#mask.normalizedInSlices(body);
    this.#templates.set(key, normalized);
    return normalized;
  }
}

function sideIn(cache: ClusterCache, { bodyId }: TemplateFacts): SummarySide {
  return { key: bodyId, template: () => cache.template(bodyId) };
}
