import { RowHead, Table, Tbody, Td, Th, Thead, Tr } from '@/components/ui/table';
import { AbsoluteTime } from '@/components/ui/time';
import { CodeText } from '@/components/ui/code-text';
import { troubledStates, type WorkloadState } from '@/lib/api/workload-values';
import type { WorkloadDetail } from '@/lib/api/workloads';

/** kubectl's message for a kind that it does not know: no error of the workload. */
const NO_VIEWER = /^error: no status viewer/;

/** Conditions whose `False` is no trouble. */
const neutralTypes: ReadonlySet<string> = new Set(['Paused', 'Completed']);

/** A workload that is paused or held has conditions that say so; they are no trouble. */
const abnormalStates: ReadonlySet<WorkloadState> = new Set([...troubledStates, 'unknown']);

type Condition = WorkloadDetail['workload']['conditions'][number];

/**
 * The conditions that the controller reports, and the line that kubectl would print. Folded: the sentence of the page has
 * what follows from them, except for a workload in trouble with a condition that is abnormal.
 */
export function ConditionsSection({ workload }: { workload: WorkloadDetail['workload'] }) {
  const { conditions, kubectlStatus, kubectlCommand = 'kubectl rollout status', state } = workload;
  const hasViewer = kubectlStatus !== '' && !NO_VIEWER.test(kubectlStatus);
  if (conditions.length === 0 && !hasViewer) return null;
  // Of a healthy workload a condition such as `Progressing` is `False`, too.
  const abnormal = abnormalStates.has(state) ? conditions.filter(isAbnormal).length : 0;
  return (
    <details open={abnormal > 0} className="pt-[22px]">
      <summary className="w-fit cursor-pointer rounded-2 max-desk:py-2">
        <h2 className="ml-1 inline text-lead font-semibold tracking-[-0.011em]">Conditions</h2>
        <span className="ml-3 text-small text-ink-3">
          {conditions.length > abnormal && conditions.length}
          {abnormal > 0 && `${conditions.length > abnormal ? ', ' : ''}${abnormal} abnormal`}
        </span>
      </summary>
      {hasViewer && (
        <p className="pt-1.5 text-small text-ink-3">
          <span className="literal">{kubectlCommand}</span>: <CodeText>{kubectlStatus}</CodeText>
        </p>
      )}
      {conditions.length > 0 && (
        <Table label="Conditions" columns={['160px', '80px', '220px', 'auto', '150px']}>
          <Thead>
            <Th>Condition</Th>
            <Th>Status</Th>
            <Th>Reason</Th>
            <Th>Message</Th>
            <Th>Since</Th>
          </Thead>
          <Tbody>
            {conditions.map(({ type, status, reason, message, lastTransitionTime }) => (
              <Tr
                key={type}
                className="max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-2"
              >
                <RowHead className="font-medium">{type}</RowHead>
                <Td className={isAbnormal({ type, status }) ? 'text-degraded' : undefined}>{status}</Td>
                <Td className="literal max-desk:col-span-2">{reason}</Td>
                <Td
                  title={message ?? undefined}
                  className="text-ink-2 max-desk:col-span-2 max-desk:whitespace-normal"
                >
                  {message}
                </Td>
                <Td className="text-small text-ink-2">
                  {lastTransitionTime === null ? 'Unknown' : <AbsoluteTime iso={lastTransitionTime} />}
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </details>
  );
}

/** A condition is good news when it is `True`, unless it names a failure. */
function isAbnormal({ type, status }: Pick<Condition, 'type' | 'status'>): boolean {
  if (neutralTypes.has(type)) return false;
  return /fail|invalid|abort/i.test(type) ? status === 'True' : status !== 'True';
}
