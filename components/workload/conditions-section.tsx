'use client';

import { SectionHead } from '@/components/ui/section-head';
import { RowHead, Table, Tbody, Td, Th, Thead, Tr } from '@/components/ui/table';
import { AbsoluteTime } from '@/components/ui/time';
import { CodeText } from '@/components/ui/code-text';
import { type WorkloadDetail } from '@/lib/api/workloads';

/** kubectl's message for a kind that it does not know: no error of the workload. */
const NO_VIEWER = /^error: no status viewer/;

/** The conditions that the controller reports, and the line that kubectl would print. */
export function ConditionsSection({ workload }: { workload: WorkloadDetail['workload'] }) {
  const { conditions, kubectlStatus, kubectlCommand = 'kubectl rollout status' } = workload;
  return (
    <section aria-labelledby="conditions" className="pt-[22px]">
      <SectionHead
        id="conditions"
        title="Conditions"
        remark={
          NO_VIEWER.test(kubectlStatus) ? (
            <>
              <span className="literal">{kubectlCommand}</span> does not support this kind
            </>
          ) : (
            <>
              <span className="literal">{kubectlCommand}</span> says <CodeText>{kubectlStatus}</CodeText>
            </>
          )
        }
        className="mb-2"
      />
      {conditions.length === 0 ? (
        <p className="text-small text-ink-3">The controller states none for this kind.</p>
      ) : (
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
                <Td className={status === 'False' && type !== 'ReplicaFailure' ? 'text-degraded' : undefined}>
                  {status}
                </Td>
                <Td className="literal max-desk:col-span-2">{reason}</Td>
                <Td
                  title={message ?? undefined}
                  className="text-ink-2 max-desk:col-span-2 max-desk:whitespace-normal"
                >
                  {message}
                </Td>
                <Td className="text-small text-ink-2">
                  {lastTransitionTime === null ? 'unknown' : <AbsoluteTime iso={lastTransitionTime} />}
                </Td>
              </Tr>
            ))}
          </Tbody>
        </Table>
      )}
    </section>
  );
}
