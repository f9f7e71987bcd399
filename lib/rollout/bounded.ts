import { type Json, type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type RolloutCondition } from '@/lib/rollout/rollout';
import { objectsAt, textAt } from '@/lib/workloads/read';

/* What is taken out of objects that anybody with the right to create can fill: cut to what the pages can use. */

const CONDITIONS_MAX = 20;
const WORD_CHARS_MAX = 253;
const TEXT_CHARS_MAX = 1_000;

/** Text that ends up as a word: cut to what a name may be. */
export function word(root: Json | undefined, ...path: readonly string[]): string | null {
  const text = textAt(root, ...path);
  return text === undefined || text === '' ? null : text.slice(0, WORD_CHARS_MAX);
}

/** Text for people, cut. */
export function textOf(root: Json | undefined, ...path: readonly string[]): string | null {
  const text = textAt(root, ...path);
  if (text === undefined || text === '') return null;
  return text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX)}…`;
}

export function conditionsOf(status: JsonObject | undefined): RolloutCondition[] {
  return objectsAt(status, 'conditions')
    .slice(0, CONDITIONS_MAX)
    .map((condition) => ({
      type: word(condition, 'type') ?? '',
      status: word(condition, 'status') ?? '',
      reason: word(condition, 'reason'),
      message: textOf(condition, 'message'),
      lastTransitionTime: word(condition, 'lastTransitionTime'),
      lastUpdateTime: word(condition, 'lastUpdateTime'),
    }));
}

/** When the status of an object, or everything else of it, was written last; null where managedFields do not tell. */
export function writtenAt(
  { metadata: { managedFields = [] } }: KubeObject,
  part: 'spec' | 'status',
): string | null {
  let last: string | null = null;
  for (const { subresource, time } of managedFields) {
    const isMeant = (subresource === 'status') === (part === 'status');
    if (isMeant && time !== undefined && time > (last ?? '')) last = time;
  }
  return last;
}
