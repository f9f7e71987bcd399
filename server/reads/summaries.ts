import 'server-only';
import { LRUCache } from 'lru-cache';
import { atOnce, type InPieces, isLarge } from '@/lib/pieces';
import { type Template, type TemplateFacts } from '@/lib/workloads/workload';
import { type ClusterCache } from '@/server/cluster/cache';
import { inTurns } from '@/server/in-turns';
import { type Keys } from '@/server/keys';
import { diffOfMasked, maskInPieces } from '@/server/mask';
import { TurnBudget } from '@/server/turn-budget';

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

/** So many templates of the usual size are compared in one turn of the event loop: a history has hundreds. */
const COMPARED_IN_A_TURN = 20;

/** Says that a summary takes more than one turn of the event loop; it is known when `done` resolves. */
export class Unfinished extends Error {
  readonly done: Promise<unknown>;

  constructor(done: Promise<unknown>) {
    super('Two large templates are being compared.');
    this.done = done;
  }
}

/** One-line summaries between two templates, computed on first use and kept by the pair of their hashes. */
export class Summaries {
  readonly #known = new LRUCache<string, Summary>({ max: SUMMARIES_MAX });
  readonly #masked = new LRUCache<string, Template>({ max: MASKED_MAX });
  readonly #underWay = new Map<string, Promise<Summary | null>>();
  readonly #turns = new TurnBudget(COMPARED_IN_A_TURN);
  readonly #keys: Keys;

  constructor(keys: Keys) {
    this.#keys = keys;
  }

  /** Null when a body is gone meanwhile. */
  async between(cache: ClusterCache, before: TemplateFacts, after: TemplateFacts): Promise<Summary | null> {
    return (
      this.known(before.bodyId, after.bodyId) ?? this.compare(sideIn(cache, before), sideIn(cache, after))
    );
  }

  /** The same at once; throws {@link Unfinished} where the templates are so large that others would have to wait. */
  betweenNow(cache: ClusterCache, before: TemplateFacts, after: TemplateFacts): Summary | null {
    return this.compareNow(sideIn(cache, before), sideIn(cache, after));
  }

  /** That of two keys, where it has been computed before. */
  known(before: string, after: string): Summary | undefined {
    return this.#known.get(`${before} ${after}`);
  }

  /** Null when a template is gone meanwhile. */
  async compare(before: SummarySide, after: SummarySide): Promise<Summary | null> {
    await this.#turns.take();
    const pair = `${before.key} ${after.key}`;
    const underWay =
      this.#underWay.get(pair) ??
      inTurns(this.#comparing(before, after)).finally(() => this.#underWay.delete(pair));
    this.#underWay.set(pair, underWay);
    return underWay;
  }

  /** As {@link compare}, at once; throws {@link Unfinished} as {@link betweenNow} does. */
  compareNow(before: SummarySide, after: SummarySide): Summary | null {
    const known = this.known(before.key, after.key);
    if (known !== undefined) return known;
    const sides = [before, after].map((side) => this.#masked.get(side.key) ?? side.template());
    if (isLarge(...sides.filter((side) => side !== undefined)))
      throw new Unfinished(this.compare(before, after));
    return atOnce(this.#comparing(before, after));
  }

  *#comparing(before: SummarySide, after: SummarySide): InPieces<Summary | null> {
    const from = yield* this.#maskedOf(before);
    const to = yield* this.#maskedOf(after);
    if (from === undefined || to === undefined) return null;
    const diff = yield* diffOfMasked(this.#keys, [from, to], () => [
      before.template() ?? {},
      after.template() ?? {},
    ]);
    const summary = {
      text: diff.summary,
      risks: diff.changes.filter((change) => change.risk !== null).length,
      restartOnly: diff.restartOnly,
    };
    this.#known.set(`${before.key} ${after.key}`, summary);
    return summary;
  }

  *#maskedOf({ key, template }: SummarySide): InPieces<Template | undefined> {
    const known = this.#masked.get(key);
    if (known !== undefined) return known;
    const body = template();
    if (body === undefined) return undefined;
    const masked = yield* maskInPieces(body, this.#keys);
    this.#masked.set(key, masked);
    return masked;
  }
}

function sideIn(cache: ClusterCache, { bodyId }: TemplateFacts): SummarySide {
  return { key: bodyId, template: () => cache.template(bodyId) };
}
