import type { ChangeAction, RelatedChange } from '@/lib/records/related-changes';
import type { RelatedRollout } from '@/lib/api/diff';
import type { RevertedRollouts } from '@/lib/records/reverted-rollouts';

/** A part of a sentence; with the id of a record where it names a rollout. */
export interface TextPart {
  text: string;
  recordId?: string;
}

/** A longer cause is truncated: its record has all of it. */
const CAUSE_LENGTH_MAX = 120;

/** "Reverts revision 41, which raised it for “OOM kills under load”", in parts. */
export function relatedChangeParts(relatedChange: RelatedChange): TextPart[] {
  const { rollout, deed } = relatedChange;
  const earlierRollout: TextPart[] = [
    rolloutPart(rollout),
    textPart(`, which ${deed} it${reasonText(rollout)}`),
  ];
  switch (relatedChange.kind) {
    case 'reverts':
      if (relatedChange.repeats === null) return [textPart('Reverts '), ...earlierRollout];
      return [
        textPart('Reverts '),
        ...earlierRollout,
        textPart('; '),
        ...sameChangeParts(relatedChange.repeats),
      ];
    case 'counters':
      return [
        rolloutPart(rollout, true),
        textPart(` ${deed} it${amountsText(deed, relatedChange)}${reasonText(rollout)}`),
      ];
    case 'repeats':
      return [
        textPart('Repeats '),
        ...earlierRollout,
        textPart('; '),
        rolloutPart(relatedChange.revertedBy),
        textPart(` reverted that${reasonText(relatedChange.revertedBy)}`),
      ];
    case 'returns':
      return [textPart('Restores the value from before '), ...earlierRollout];
    default:
      return relatedChange satisfies never;
  }
}

/** "Revision 39 made the same change for “more traffic”", of a rollout that is repeated, in parts. */
export function repeatedRolloutParts(rollout: RelatedRollout): TextPart[] {
  return sameChangeParts(rollout, true);
}

/** The related change as one text. */
export function describeRelatedChange(relatedChange: RelatedChange): string {
  return joinParts(relatedChangeParts(relatedChange));
}

/** "Reverts revision 41 (“OOM kills under load”) and 2 later rollouts", in parts. */
export function revertedRolloutsParts({ rollout, others }: RevertedRollouts): TextPart[] {
  const cause = quotedCause(rollout);
  const after = others === 0 ? '' : ` and ${others} later ${others === 1 ? 'rollout' : 'rollouts'}`;
  return [
    textPart('Reverts '),
    rolloutPart(rollout),
    textPart(`${cause === null ? '' : ` (${cause})`}${after}`),
  ];
}

export function describeRevertedRollouts(reverted: RevertedRollouts): string {
  return joinParts(revertedRolloutsParts(reverted));
}

function rolloutPart({ id, number }: RelatedRollout, isFirst = false): TextPart {
  const name = number === null ? 'an earlier rollout' : `revision ${number}`;
  return { text: isFirst ? `${name.charAt(0).toUpperCase()}${name.slice(1)}` : name, recordId: id };
}

function sameChangeParts(rollout: RelatedRollout, isFirst = false): TextPart[] {
  return [rolloutPart(rollout, isFirst), textPart(` made the same change${reasonText(rollout)}`)];
}

function amountsText(
  deed: ChangeAction,
  { before, after }: { before: string | null; after: string | null },
): string {
  if (deed !== 'raised' && deed !== 'lowered') return '';
  return before === null || after === null ? '' : ` from ${before} to ${after}`;
}

/** A command is not a reason: it is the means of the change. */
function reasonText(rollout: RelatedRollout): string {
  const cause = quotedCause(rollout);
  if (cause === null) return '';
  return ` ${/^“kubectl\s/.test(cause) ? 'with' : 'for'} ${cause}`;
}

/** In quotes and on one line, without characters that change the text direction. */
function quotedCause({ cause }: RelatedRollout): string | null {
  const line = (cause ?? '')
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\s]+/g, ' ')
    .replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .trim();
  if (line === '') return null;
  const characters = [...line];
  return characters.length > CAUSE_LENGTH_MAX
    ? `“${characters.slice(0, CAUSE_LENGTH_MAX - 1).join('')}…”`
    : `“${line}”`;
}

function textPart(content: string): TextPart {
  return { text: content };
}

function joinParts(parts: readonly TextPart[]): string {
  return parts.map((part) => part.text).join('');
}
