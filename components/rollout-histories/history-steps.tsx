'use client';

import { useState } from 'react';
import { podsText } from '@/components/rollout-histories/history-labels';
import { Button } from '@/components/ui/button';
import { SectionHead } from '@/components/ui/section-head';
import { GroupRow, RowHead, Table, Td, Th, Thead, Tr } from '@/components/ui/table';
import { type RolloutHistoryItem } from '@/lib/api/rollout-histories';
import { formatCount } from '@/lib/format/text';

const PODS_AT_FIRST = 20;
const COLUMNS = ['34%', '33%', '33%'];

/** The steps of the record, each with its pods. */
export function HistorySteps({ history }: { history: RolloutHistoryItem }) {
  const { steps } = history;
  if (steps.length === 0) return null;
  return (
    <section aria-labelledby="steps" className="pt-6">
      <SectionHead
        id="steps"
        title="Steps"
        remark={`${formatCount(steps.length, 'step')}, ${podsText(history)} as labeled at completion`}
        className="pb-1"
      />
      <Table label="Steps with their pods" columns={COLUMNS}>
        <Thead>
          <Th>Pod</Th>
          <Th>Node</Th>
          <Th>Pod IP</Th>
        </Thead>
        {steps.map((step) => (
          <StepRows key={step.index} step={step} />
        ))}
      </Table>
    </section>
  );
}

function StepRows({ step }: { step: RolloutHistoryItem['steps'][number] }) {
  const [all, setAll] = useState(false);
  const shown = all ? step.pods : step.pods.slice(0, PODS_AT_FIRST);
  return (
    <tbody role="rowgroup" className="max-desk:block">
      <GroupRow
        title={`Step ${step.index}`}
        remark={step.podCount === 0 ? 'no pods recorded' : podsText({ steps: [step] })}
        span={COLUMNS.length}
      />
      {shown.map((pod) => (
        <Tr key={pod.name} className="max-desk:grid max-desk:grid-cols-2 max-desk:gap-x-3 max-desk:py-1.5">
          <RowHead className="literal max-desk:col-span-2">{pod.name}</RowHead>
          <Td className="text-ink-2">{pod.node ?? <NotRecorded />}</Td>
          <Td className="literal text-ink-2">{pod.ip ?? <NotRecorded />}</Td>
        </Tr>
      ))}
      {shown.length < step.pods.length && (
        <tr role="row" className="max-desk:block">
          <td role="cell" colSpan={COLUMNS.length} className="h-8 max-desk:block">
            <Button size="small" tone="quiet" onClick={() => setAll(true)} className="-ml-2">
              Show all {step.pods.length.toLocaleString('en')}
            </Button>
          </td>
        </tr>
      )}
    </tbody>
  );
}

function NotRecorded() {
  return <span className="font-sans text-ink-3">Unknown</span>;
}
