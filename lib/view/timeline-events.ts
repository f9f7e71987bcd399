import type { RecordAnswer } from '@/lib/api/records';
import { isAtOrAfter, ms } from '@/lib/records/times';
import {
  actorText,
  durationText,
  outcomeText,
  transitionText,
  spanWord,
  rolloutDurationText,
} from '@/lib/view/record-text';
import { SECOND } from '@/lib/format/duration';
import { capitalize } from '@/lib/format/text';

/** One event of a rollout, for display. */
interface TimelineEvent {
  /** RFC 3339. */
  at: string;
  text: string;
  /** Its context, or how often it occurred. */
  note: string;
  tone: 'plain' | 'bad' | 'held';
}

/** The events of a rollout in the order of time: its start, where it stalled or was held, warnings, its end. */
export function listTimelineEvents(record: RecordAnswer): TimelineEvent[] {
  const { startedAt, endedAt, events, spans, unwatched } = record;
  const actor = actorText(record.actor);
  // Without a watch from then on, its end was not observed.
  const isObserved = (end: string) =>
    !unwatched.some(({ from, to }) => ms(from) <= ms(end) && ms(end) <= ms(to)) &&
    !spans.some(({ from }) => from === end);
  // The end of the rollout says it.
  const endsWithRollout = (end: string) => endedAt !== null && ms(end) > ms(endedAt) - SECOND;
  const lines: TimelineEvent[] = [
    ...(startedAt === null
      ? []
      : [
          plainEvent(
            startedAt,
            `${record.from === null ? 'First rollout' : `Rollout ${transitionText(record)}`} started${actor === null ? '' : ` by ${actor}`}`,
            '',
          ),
        ]),
    ...unwatched.flatMap(({ from, to }) => [
      plainEvent(from, 'Observation stopped', ''),
      plainEvent(to, 'Observation resumed', durationText({ startedAt: from, endedAt: to }) ?? ''),
    ]),
    ...spans.flatMap((span) => [
      ...spanEvents(span),
      ...(span.to === null || !isObserved(span.to) || endsWithRollout(span.to)
        ? []
        : [
            plainEvent(
              span.to,
              `No longer ${spanWord(span)}`,
              durationText({ startedAt: span.from, endedAt: span.to }) ?? '',
            ),
          ]),
    ]),
    ...events.map(({ at, reason, message, object, count }) =>
      plainEvent(at, `${reason}: ${message}`, count > 1 ? `${object} ×${count}` : object),
    ),
    ...(endedAt === null
      ? []
      : [plainEvent(endedAt, `Rollout ${endText(record)}`, rolloutDurationText(record) ?? '')]),
  ];
  // Sorting keeps the order of simultaneous events: a start comes first, an end last.
  return lines.sort((a, b) => ms(a.at) - ms(b.at));
}

/** What is known at the end of an interval was unknown at its start: each has its own time. */
function spanEvents(span: RecordAnswer['spans'][number]): TimelineEvent[] {
  const { kind, from, to, reason, reasonAt = to ?? from } = span;
  const tone = kind === 'stuck' ? 'bad' : 'held';
  const word = spanWord(span);
  const reasonEvent: TimelineEvent = { at: reasonAt, text: capitalize(reason), note: word, tone };
  // Kubernetes writes whole seconds.
  if (isAtOrAfter(from, reasonAt)) return [{ ...reasonEvent, at: from }];
  return [{ at: from, text: capitalize(word), note: '', tone }, reasonEvent];
}

function endText(record: RecordAnswer): string {
  switch (record.outcome) {
    case 'unknown':
      return 'end not observed';
    case null:
      return 'ended';
    default:
      return outcomeText(record);
  }
}

function plainEvent(at: string, text: string, note: string): TimelineEvent {
  return { at, text, note, tone: 'plain' };
}
