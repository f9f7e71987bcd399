import { formatDay, type TimeFrame } from '@/lib/format/time';
import { rolloutDurationText } from '@/lib/view/record-text';
import { type ActivationBar, type Lane } from '@/lib/timeline/lanes';

/** The accessible name of a lane: "Revision 40, was 37, version 2.17.4, not live". */
export function describeLane({ number, formerNumbers: was, version, role, pods, note }: Lane): string {
  const parts = [
    number === null ? 'Revision without a number' : `Revision ${number}`,
    ...(was.length > 0 ? [`was ${was.join(' and ')}`] : []),
    ...(version === '' ? [] : [`version ${version}`]),
    role === 'past'
      ? note
      : `${role === 'target' ? 'the target' : 'live'}, ${pods.ready} of ${pods.total} pods ready`,
  ];
  return parts.join(', ');
}

/** The accessible name of a bar: "Activation of 40 from Mon 7 Sep 10:05, completed in 58 s". */
export function describeActivation({ version }: Lane, activation: ActivationBar, frame: TimeFrame): string {
  const { number, span, record } = activation;
  const since = `${span.startMin === span.startMax ? 'from' : 'before'} ${formatDay(span.startMax, frame)}`;
  return [`Activation of ${number}`, version, since, ...(record === null ? [] : [describeRollout(record)])]
    .filter((outcomeText) => outcomeText !== '')
    .join(', ');
}

function describeRollout(record: NonNullable<ActivationBar['record']>): string {
  const { outcome } = record;
  if (outcome === null) return 'its rollout is open';
  if (outcome === 'unknown') return 'its rollout was not watched to its end';
  const duration = rolloutDurationText(record);
  const outcomeText = outcome === 'rolledBack' ? 'rolled back' : outcome;
  if (duration === null) return outcomeText;
  return `${outcomeText} ${outcome === 'completed' ? 'in' : 'after'} ${duration}`;
}
