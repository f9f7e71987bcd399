import { type RecordAnswer } from '@/lib/api/records';
import { isSince, ms } from '@/lib/ledger/moments';
import {
  actorText,
  durationText,
  outcomeText,
  passageOf,
  spanWord,
  tookText,
} from '@/lib/ledger/record-words';

/** One line of what happened in a rollout. */
export interface Happening {
  /** RFC 3339. */
  at: string;
  text: string;
  /** What it belongs to, or how often it came. */
  remark: string;
  tone: 'plain' | 'bad' | 'held';
}

/** The story of a rollout in the order of time: its beginning, where it stuck or was held, events, its end. */
export function happeningsOf(record: RecordAnswer): Happening[] {
  const { startedAt, endedAt, events, spans, unwatched } = record;
  const who = actorText(record.actor);
  // Where nobody watched from then on, nobody saw it end.
  const isSeen = (end: string) =>
    !unwatched.some(({ from, to }) => ms(from) <= ms(end) && ms(end) <= ms(to)) &&
    !spans.some(({ from }) => from === end);
  const lines: Happening[] = [
    ...(startedAt === null
      ? []
      : [plain(startedAt, `${passageOf(record)} began${who === null ? '' : ` by ${who}`}`, 'rollout')]),
    ...unwatched.flatMap(({ from, to }) => [
      plain(from, 'Shiplog was not watching from here on', ''),
      plain(to, 'Shiplog watched again', durationText({ startedAt: from, endedAt: to }) ?? ''),
    ]),
    ...spans.flatMap((span) => [
      ...reasonOf(span),
      ...(span.to === null || !isSeen(span.to)
        ? []
        : [
            plain(
              span.to,
              `No longer ${spanWord(span)}`,
              durationText({ startedAt: span.from, endedAt: span.to }) ?? '',
            ),
          ]),
    ]),
    ...events.map(({ at, reason, message, object, count }) =>
      plain(at, `${reason}: ${message}`, count > 1 ? `${object}, ${count} times` : object),
    ),
    ...(endedAt === null ? [] : [plain(endedAt, `The rollout ${endText(record)}`, tookText(record) ?? '')]),
  ];
  // Sorting keeps the order of what happened at the same time: a beginning stands first, an end last.
  return lines.sort((a, b) => ms(a.at) - ms(b.at));
}

/** What is known of a stretch at its end was not known at its beginning: each stands at its own time. */
function reasonOf(span: RecordAnswer['spans'][number]): Happening[] {
  const { kind, from, to, reason, reasonAt = to ?? from } = span;
  const tone = kind === 'stuck' ? 'bad' : 'held';
  const word = spanWord(span);
  const told: Happening = { at: reasonAt, text: capitalised(reason), remark: word, tone };
  // Kubernetes writes whole seconds.
  if (isSince(from, reasonAt)) return [{ ...told, at: from }];
  return [{ at: from, text: capitalised(word), remark: '', tone }, told];
}

function endText(record: RecordAnswer): string {
  switch (record.outcome) {
    case 'completed':
    case 'failed':
      return record.outcome;
    case 'rolledBack':
    case 'superseded':
    case 'unknown':
      return `was ${outcomeText(record)}`;
    case null:
      return 'ended';
    default:
      return record.outcome satisfies never;
  }
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function plain(at: string, text: string, remark: string): Happening {
  return { at, text, remark, tone: 'plain' };
}
