import { sourceLabel } from '@/components/rollout-histories/history-labels';
import { TextLink } from '@/components/ui/link';
import { SectionHead } from '@/components/ui/section-head';
import { RowHead, Table, Tbody, Td, Tr } from '@/components/ui/table';
import { AbsoluteTime } from '@/components/ui/time';
import type { RolloutHistoryItem } from '@/lib/api/rollout-histories';
import { rolloutPagePath } from '@/components/queries/rollouts';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';

interface FactRow {
  label: string;
  /** Null: not recorded. */
  value: React.ReactNode;
  source: string;
}

/** Every fact of the record, with its source. */
export function HistoryFacts({ history }: { history: RolloutHistoryItem }) {
  return (
    <section aria-labelledby="facts" className="pt-5">
      <SectionHead id="facts" title="Fields" remark="each with its source" className="pb-1.5" />
      <Table label="Fields of the object" columns={['140px', 'auto', '34%']} className="border-t border-line">
        <Tbody>
          {rowsOf(history).map(({ label, value, source }) => (
            <Tr
              key={label}
              className="max-desk:grid max-desk:grid-cols-[110px_minmax(0,1fr)] max-desk:gap-x-3 max-desk:py-1.5"
            >
              <RowHead className="text-ink-3">{label}</RowHead>
              <Td className="max-desk:whitespace-normal">
                {value ?? <span className="text-ink-3">Unknown</span>}
              </Td>
              <Td className="text-small text-ink-3 max-desk:col-start-2 max-desk:whitespace-normal">
                {value === null ? '' : source}
              </Td>
            </Tr>
          ))}
        </Tbody>
      </Table>
    </section>
  );
}

function rowsOf(history: RolloutHistoryItem): FactRow[] {
  const { rollout, rolloutId, workload, revision, completedAt, images } = history;
  const ownSource = sourceLabel('rolloutHistory');
  return [
    { label: 'Rollout', value: rolloutValue(history), source: rollout ? sourceLabel(rollout.source) : '' },
    {
      label: 'Rollout ID',
      value: rolloutId && <Literal>{rolloutId.value}</Literal>,
      source: rolloutId ? sourceLabel(rolloutId.source) : '',
    },
    {
      label: 'Workload',
      value: workloadValue(history),
      source: workload ? sourceLabel(workload.source) : '',
    },
    {
      label: 'Revision',
      value: revisionValue(history),
      source: revision ? sourceLabel(revision.source) : '',
    },
    {
      label: 'Images',
      value:
        images.length === 0 ? null : (
          <Literal>{images.map(({ container, image }) => `${container} ${image}`).join(', ')}</Literal>
        ),
      source: ownSource,
    },
    { label: 'Service', value: history.service, source: ownSource },
    { label: 'Ingress', value: history.ingress, source: ownSource },
    { label: 'HTTPRoute', value: history.httpRoute, source: ownSource },
    {
      label: 'Created',
      value: <AbsoluteTime iso={history.createdAt} />,
      source: 'creation of the object, not start of the rollout',
    },
    {
      label: 'Completed',
      value: completedAt && <AbsoluteTime iso={completedAt.value} />,
      source: completedAt ? sourceLabel(completedAt.source) : '',
    },
    {
      label: 'Phase',
      value: <Literal>{history.phase === '' ? 'empty' : history.phase}</Literal>,
      source: ownSource,
    },
  ];
}

function rolloutValue({ rollout, cluster, namespace }: RolloutHistoryItem): React.ReactNode {
  if (rollout === null) return null;
  if (!rollout.exists)
    return (
      <>
        {rollout.value} <span className="text-ink-3">(deleted)</span>
      </>
    );
  return (
    <TextLink href={rolloutPagePath({ cluster, resource: rollout.resource, namespace, name: rollout.value })}>
      {rollout.value}
    </TextLink>
  );
}

function workloadValue(history: RolloutHistoryItem): React.ReactNode {
  const { workload } = history;
  if (workload === null) return null;
  const { kind, name } = workload.value;
  const ref = refOf(workload, history);
  return ref !== null && workload.exists ? (
    <TextLink href={workloadPagePath(ref)}>
      {kind} {name}
    </TextLink>
  ) : (
    <>
      {kind} {name} <span className="text-ink-3">(deleted, or not readable)</span>
    </>
  );
}

function revisionValue(history: RolloutHistoryItem): React.ReactNode {
  const { workload, revision } = history;
  if (revision === null) return null;
  const { id, number, name } = revision.value;
  const ref = workload === null ? null : refOf(workload, history);
  if (ref === null) return number ?? <Literal>{name}</Literal>;
  return (
    <>
      <TextLink href={workloadPagePath(ref, `?${new URLSearchParams({ at: id })}`)}>
        {number ?? name}
      </TextLink>
      {number !== null && <span className="ml-2 literal text-ink-3">{name}</span>}
    </>
  );
}

function refOf(
  { value: { resource, name } }: NonNullable<RolloutHistoryItem['workload']>,
  { cluster, namespace }: RolloutHistoryItem,
): WorkloadRef | null {
  return resource === null ? null : { cluster, resource, namespace, name };
}

function Literal({ children }: { children: React.ReactNode }) {
  return <span className="literal [overflow-wrap:anywhere]">{children}</span>;
}
