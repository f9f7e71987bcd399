import { cutLine } from '@/lib/format/message-line';
import type { Json, JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { ConditionItem } from '@/lib/api/common';
import { objectsAt, textAt } from '@/lib/kube/read';

/* Content of objects that anyone with create permission can fill: cut to what the pages can use. */

const CONDITIONS_MAX = 20;
const WORD_CHARS_MAX = 253;
const TEXT_CHARS_MAX = 1_000;

/** Text displayed as a word: cut to the length of a name. */
export function boundedName(root: Json | undefined, ...path: readonly string[]): string | null {
  const text = textAt(root, ...path);
  return text === undefined || text === '' ? null : text.slice(0, WORD_CHARS_MAX);
}

/** Text for display, cut. */
export function boundedText(root: Json | undefined, ...path: readonly string[]): string | null {
  const text = textAt(root, ...path);
  return text === undefined || text === '' ? null : cutLine(text, TEXT_CHARS_MAX);
}

export function conditionsOf(status: JsonObject | undefined): ConditionItem[] {
  return objectsAt(status, 'conditions')
    .slice(0, CONDITIONS_MAX)
    .map((condition) => ({
      type: boundedName(condition, 'type') ?? '',
      status: boundedName(condition, 'status') ?? '',
      reason: boundedName(condition, 'reason'),
      message: boundedText(condition, 'message'),
      lastTransitionTime: boundedName(condition, 'lastTransitionTime'),
      lastUpdateTime: boundedName(condition, 'lastUpdateTime'),
    }));
}

/** The last write of an object's status, or of everything else; null where managedFields do not show it. */
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
