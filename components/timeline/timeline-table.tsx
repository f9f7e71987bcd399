'use client';

import { useTimeFrame } from '@/components/ui/time';
import { formatFull, type TimeFrame } from '@/lib/format/time';
import { RolloutOutcome } from '@/components/shared/rollout-outcome';
import { actorText } from '@/lib/view/record-text';
import type { ActivationBar, Lane, Lanes } from '@/lib/timeline/lanes';

/** The drawing as a table, for screen readers. */
export function TimelineTable({ name, lanes }: { name: string; lanes: Lanes }) {
  const frame = useTimeFrame();
  return (
    <div className="sr-only">
      <table>
        <caption>Active periods of {name}</caption>
        <thead>
          <tr>
            <th scope="col">Revision</th>
            <th scope="col">Version</th>
            <th scope="col">From</th>
            <th scope="col">To</th>
            <th scope="col">Outcome</th>
            <th scope="col">Changed by</th>
            <th scope="col">Change cause</th>
          </tr>
        </thead>
        <tbody>
          {lanes.lanes.flatMap((lane) =>
            lane.bars.flatMap((bar, index) =>
              bar.kind === 'activation'
                ? [<Row key={`${lane.id} ${index}`} lane={lane} bar={bar} frame={frame} />]
                : [],
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function Row({ lane, bar, frame }: { lane: Lane; bar: ActivationBar; frame: TimeFrame }) {
  const { startMin, startMax, endMin, endMax } = bar.span;
  return (
    <tr>
      <th scope="row">{bar.number}</th>
      <td>{lane.version}</td>
      <td>{between(startMin, startMax, frame)}</td>
      <td>{bar.open ? 'Active' : between(endMin, endMax, frame)}</td>
      <td>{bar.record === null ? 'Unknown' : <RolloutOutcome rollout={bar.record} withDuration />}</td>
      <td>{actorText(bar.record?.actor ?? null) ?? 'Unknown'}</td>
      <td>{bar.record?.cause ?? 'None'}</td>
    </tr>
  );
}

function between(min: number, max: number, { timeZone }: TimeFrame): string {
  if (min === max) return formatFull(min, timeZone);
  return `Between ${formatFull(min, timeZone)} and ${formatFull(max, timeZone)}`;
}
