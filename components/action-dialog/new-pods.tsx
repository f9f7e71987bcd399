import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { RowHead, Table, Tbody, Td, Th, Thead, Tr } from '@/components/ui/table';
import { Elapsed, RelativeTime } from '@/components/ui/time';
import type { PodItem } from '@/lib/api/pods';

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
        <Table label="New pods">
          <Thead>
            {['New pod', 'Node', 'Revision', 'Status', 'Since'].map((title) => (
              <Th key={title}>{title}</Th>
            ))}
          </Thead>
          <Tbody>
            {fresh.slice(0, SHOWN_MAX).map((pod) => (
              <Row key={pod.uid} pod={pod} />
            ))}
          </Tbody>
        </Table>
      )}
      <p className="py-1.5 text-small text-ink-3">
        {[
          hidden > 0 && `${hidden} more new pods`,
          unchangedCount > 0 && `${unchangedCount} existing ${unchangedCount === 1 ? 'pod' : 'pods'} kept`,
        ]
          .filter((text) => text !== false)
          .join('; ')}
      </p>
    </div>
  );
}

function Row({ pod }: { pod: PodItem }) {
  return (
    <Tr className="max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-2">
      <RowHead className="max-w-[22em] font-mono text-code">{pod.name}</RowHead>
      <Td className="max-w-[12em] text-[12.5px] max-desk:row-start-2 max-desk:text-small max-desk:text-ink-3">
        {pod.node ?? 'Not scheduled'}
      </Td>
      <Td className="font-mono text-code font-medium max-desk:hidden">{pod.revision}</Td>
      <Td className="text-[12.5px] max-desk:col-start-2 max-desk:row-start-1">
        <State pod={pod} />
      </Td>
      <Td className="max-w-[22em] text-[12.5px] text-ink-2 max-desk:col-span-2 max-desk:max-w-full max-desk:text-small">
        <Since pod={pod} />
      </Td>
    </Tr>
  );
}

function State({ pod: { ready, block } }: { pod: PodItem }) {
  const isBlocked = block && block.kind !== 'notStarted' && block.kind !== 'readiness';
  const [word, color] = ready
    ? ['Ready', 'text-complete']
    : isBlocked
      ? ['Blocked', 'text-stuck']
      : ['Starting', 'text-rolling'];
  return (
    <span className={`inline-flex items-center gap-[7px] font-medium ${color}`}>
      {ready ? <Glyph name="complete" /> : isBlocked ? <Glyph name="stuck" /> : <RingGlyph share={0.5} />}
      {word}
    </span>
  );
}

function Since({ pod }: { pod: PodItem }) {
  if (pod.ready && pod.readyAt) {
    return (
      <>
        Ready in <Elapsed from={pod.createdAt} to={pod.readyAt} />
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
