import { formatDay, type TimeFrame } from '@/lib/format/time';
import { tookText } from '@/lib/ledger/record-words';
import { type ActivationBar, type Lane } from '@/lib/timeline/lanes';

/** A lane for whom can't see it: "Revision 40, was 37, version 2.17.4, not live". */
export function laneWords({ number, was, version, role, pods, note }: Lane): string {
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

/** A bar likewise: "Activation of 40 from Mon 7 Sep 10:05, completed in 58 s". */
export function activationWords({ version }: Lane, activation: ActivationBar, frame: TimeFrame): string {
  const { number, span, record } = activation;
  const since = `${span.startMin === span.startMax ? 'from' : 'before'} ${formatDay(span.startMax, frame)}`;
  return [`Activation of ${number}`, version, since, ...(record === null ? [] : [rolloutWords(record)])]
    .filter((word) => word !== '')
    .join(', ');
}

function rolloutWords(record: NonNullable<ActivationBar['record']>): string {
  const { outcome } = record;
  if (outcome === null) return 'its rollout is open';
  if (outcome === 'unknown') return 'its rollout was not watched to its end';
  const took = tookText(record);
  const word = outcome === 'rolledBack' ? 'rolled back' : outcome;
  if (took === null) return word;
  return `${word} ${outcome === 'completed' ? 'in' : 'after'} ${took}`;
}
