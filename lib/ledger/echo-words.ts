import { type Deed, type Echo, type EchoRollout } from '@/lib/ledger/echoes';
import { type TakenBack } from '@/lib/ledger/takes-back';

/** A piece of a sentence; with the id of a record where it names a rollout. */
export interface EchoPart {
  text: string;
  recordId?: string;
}

/** A longer cause is cut: its record has the whole. */
const CAUSE_LENGTH_MAX = 120;

/** "Takes back revision 41, which had raised it for “OOM kills under load”", in pieces. */
export function echoParts(echo: Echo): EchoPart[] {
  const { rollout, deed } = echo;
  const doer: EchoPart[] = [nameOf(rollout), text(`, which had ${deed} it${reasonOf(rollout)}`)];
  switch (echo.kind) {
    case 'takesBack':
      if (echo.repeats === null) return [text('Takes back '), ...doer];
      return [text('Takes back '), ...doer, text('; '), ...sameParts(echo.repeats)];
    case 'counters':
      return [nameOf(rollout, true), text(` had ${deed} it${passageOf(deed, echo)}${reasonOf(rollout)}`)];
    case 'repeats':
      return [
        text('Repeats '),
        ...doer,
        text('; '),
        nameOf(echo.takenBackBy),
        text(` took that back${reasonOf(echo.takenBackBy)}`),
      ];
    case 'returns':
      return [text('As it was until '), nameOf(rollout), text(` ${deed} it${reasonOf(rollout)}`)];
    default:
      return echo satisfies never;
  }
}

/** "Revision 39 had done the same for “more traffic”", of a rollout that is repeated, in pieces. */
export function repeatedParts(rollout: EchoRollout): EchoPart[] {
  return sameParts(rollout, true);
}

/** The whole echo as one text. */
export function echoSentence(echo: Echo): string {
  return joined(echoParts(echo));
}

/** "Takes back revision 41 (“OOM kills under load”) and 2 later rollouts", in pieces. */
export function takenBackParts({ rollout, others }: TakenBack): EchoPart[] {
  const cause = causeOf(rollout);
  const after = others === 0 ? '' : ` and ${others} later ${others === 1 ? 'rollout' : 'rollouts'}`;
  return [text('Takes back '), nameOf(rollout), text(`${cause === null ? '' : ` (${cause})`}${after}`)];
}

export function takenBackSentence(taken: TakenBack): string {
  return joined(takenBackParts(taken));
}

function nameOf({ id, number }: EchoRollout, isFirst = false): EchoPart {
  const name = number === null ? 'an earlier rollout' : `revision ${number}`;
  return { text: isFirst ? `${name.charAt(0).toUpperCase()}${name.slice(1)}` : name, recordId: id };
}

function sameParts(rollout: EchoRollout, isFirst = false): EchoPart[] {
  return [nameOf(rollout, isFirst), text(` had done the same${reasonOf(rollout)}`)];
}

function passageOf(deed: Deed, { before, after }: { before: string | null; after: string | null }): string {
  if (deed !== 'raised' && deed !== 'lowered') return '';
  return before === null || after === null ? '' : ` from ${before} to ${after}`;
}

/** A command is no reason: it is what was done with. */
function reasonOf(rollout: EchoRollout): string {
  const cause = causeOf(rollout);
  if (cause === null) return '';
  return ` ${/^“kubectl\s/.test(cause) ? 'with' : 'for'} ${cause}`;
}

/** In quotes and on one line; whatever could turn the text around is left out. */
function causeOf({ cause }: EchoRollout): string | null {
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

function text(words: string): EchoPart {
  return { text: words };
}

function joined(parts: readonly EchoPart[]): string {
  return parts.map((part) => part.text).join('');
}
