import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { Elapsed, RelativeTime } from '@/components/ui/time';
import { type PodItem } from '@/lib/api/pods';

const SHOWN_MAX = 12;

/**
 * The pods of the target revision that were created since, and the number of those that already ran and were left
 * alone.
 */
export function NewPods({ pods, since }: { pods: readonly PodItem[]; since: string }) {
  const sinceMs = Math.floor(Date.parse(since) / 1000) * 1000;
  const target = pods.filter((pod) => pod.target && pod.deletedAt === null);
  const fresh = target.filter((pod) => Date.parse(pod.createdAt) >= sinceMs);
  const unchangedCount = target.length - fresh.length;
  const hidden = Math.max(0, fresh.length - SHOWN_MAX);
  if (target.length === 0) return null;
  return (
    <div className="px-6 pt-3 max-desk:px-4">
      {fresh.length > 0 && (
        <table
          role="table"
          aria-label="Pods that were started for it"
          className="w-full border-separate border-spacing-0 max-desk:block"
        >
          <thead role="rowgroup" className="max-desk:sr-only">
            <tr role="row">
              {['New pod', 'Node', 'Revision', 'State', 'Since'].map((title) => (
                <th
                  key={title}
                  role="columnheader"
                  scope="col"
                  className="h-7 border-b border-line pr-3 text-start text-micro text-ink-3"
                >
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody role="rowgroup" className="max-desk:block">
            {fresh.slice(0, SHOWN_MAX).map((pod) => (
              <Row key={pod.uid} pod={pod} />
            ))}
          </tbody>
        </table>
      )}
      <p className="py-1.5 text-small text-ink-3">
        {[
          hidden > 0 && `${hidden} more new pods`,
          unchangedCount > 0 &&
            `${unchangedCount} ${unchangedCount === 1 ? 'pod was' : 'pods were'} running before and not restarted`,
        ]
          .filter((text) => text !== false)
          .join('; ')}
      </p>
    </div>
  );
}

const cell =
  'h-8 border-b border-hair pr-3 text-[12.5px] max-desk:block max-desk:h-auto max-desk:border-0 max-desk:p-0';

function Row({ pod }: { pod: PodItem }) {
  return (
    <tr
      role="row"
      className="max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:border-b max-desk:border-hair max-desk:py-2"
    >
      <th
        role="rowheader"
        scope="row"
        className={`${cell} max-w-[22em] truncate text-start font-mono text-code font-normal`}
      >
        {pod.name}
      </th>
      <td
        role="cell"
        className={`${cell} max-w-[12em] truncate max-desk:row-start-2 max-desk:text-small max-desk:text-ink-3`}
      >
        {pod.node ?? 'no node yet'}
      </td>
      <td role="cell" className={`${cell} max-desk:hidden`}>
        <span className="font-mono text-code font-medium">{pod.revision}</span>
      </td>
      <td role="cell" className={`${cell} max-desk:col-start-2 max-desk:row-start-1`}>
        <State pod={pod} />
      </td>
      <td
        role="cell"
        className={`${cell} max-w-[22em] truncate text-ink-2 max-desk:col-span-2 max-desk:max-w-full max-desk:text-small`}
      >
        <Since pod={pod} />
      </td>
    </tr>
  );
}

function State({ pod }: { pod: PodItem }) {
  if (pod.ready) {
    return (
      <span className="inline-flex items-center gap-[7px] font-medium text-complete">
        <Glyph name="complete" /> ready
      </span>
    );
  }
  if (pod.block && pod.block.kind !== 'notStarted' && pod.block.kind !== 'readiness') {
    return (
      <span className="inline-flex items-center gap-[7px] font-medium text-stuck">
        <Glyph name="stuck" /> blocked
      </span>
    );
  }
  return (
    <span className="inline-flex items-center gap-[7px] font-medium text-rolling">
      <RingGlyph share={0.5} /> starting
    </span>
  );
}

function Since({ pod }: { pod: PodItem }) {
  if (pod.ready && pod.readyAt) {
    return (
      <>
        ready in <Elapsed from={pod.createdAt} to={pod.readyAt} />
      </>
    );
  }
  return (
    <>
      {pod.block && `${pod.block.reason}, `}
      <RelativeTime iso={pod.createdAt} />
    </>
  );
}
