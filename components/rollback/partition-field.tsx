'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { errorText } from '@/components/ui/error-state';
import { Field, Input } from '@/components/ui/input';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { type PodItem } from '@/lib/api/pods';
import { podsQuery } from '@/components/queries/pods';
import { type WorkloadRef } from '@/components/queries/workload-ref';
import { capitalize, formatCount, formatList } from '@/lib/format/text';

/** Above this number only the text lists them. */
const DRAWN_MAX = 40;

/**
 * The partition as a number, and which pods or groups get the target. `value` is null while it is not a number from 0
 * to the total.
 */
export function PartitionField({
  workload,
  detail,
  value,
  onChange,
  fieldRef,
}: {
  workload: WorkloadRef;
  detail: WorkloadDetail;
  value: number | null;
  onChange: (value: number | null) => void;
  fieldRef: React.RefObject<HTMLInputElement | null>;
}) {
  const { noun, total } = partitionUnitOf(detail);
  const current = detail.workload.partition ?? 0;
  const [text, setText] = useState(value === null ? '' : String(value));
  const needsPods = detail.workload.groups === undefined;
  const { data, error } = useQuery({ ...podsQuery(workload), enabled: needsPods });
  const isRead = !needsPods || data !== undefined;
  const isWrong = value === null;
  const keepsNumber = detail.workload.partitionKeeps === 'number';
  const updatedNow = detail.workload.pods.byRevision.find((group) => group.target)?.pods ?? 0;

  function type(next: string) {
    setText(next);
    const number = Number(next);
    onChange(/^\d+$/.test(next) && number <= total ? number : null);
  }

  return (
    <div className="px-6 pb-4 max-desk:px-4">
      <Field
        label="Partition"
        hint={
          keepsNumber
            ? `Now ${current}. So many of the ${total} ${noun}s stay where they are, the others follow the target.`
            : `Now ${current}. ${capitalize(noun)}s from this number up follow the target, those below stay where they are.`
        }
        error={isWrong ? `A whole number from 0 to ${total}.` : undefined}
      >
        {(field) => (
          <Input
            {...field}
            ref={fieldRef}
            type="number"
            inputMode="numeric"
            min={0}
            max={total}
            value={text}
            onChange={(event) => type(event.target.value)}
            className="w-24 font-mono"
          />
        )}
      </Field>
      {value !== null && keepsNumber && (
        <p className="mt-3 text-small text-ink-3">{describeMovingCount(total - value, updatedNow)}</p>
      )}
      {value !== null && !keepsNumber && !isRead && (
        <p role="status" className="mt-3 text-small text-ink-3">
          {error === null
            ? 'Loading pods…'
            : `The pods could not be loaded, so it is unknown which ones move. ${errorText(error)}`}
        </p>
      )}
      {value !== null && !keepsNumber && isRead && (
        <Ordinals
          noun={noun}
          total={total}
          partition={value}
          current={current}
          updated={updatedOf(detail, data?.items ?? [])}
          onChoose={(ordinal) => type(String(ordinal))}
        />
      )}
    </div>
  );
}

/** What the partition counts, and the total. */
function partitionUnitOf({ workload }: WorkloadDetail): { noun: string; total: number } {
  return workload.partitionOf ?? { noun: 'pod', total: workload.replicas ?? workload.pods.desired };
}

/** Numbers of those that run the target. */
function updatedOf({ workload }: WorkloadDetail, pods: readonly PodItem[]): ReadonlySet<number | null> {
  if (workload.groups !== undefined)
    return new Set(workload.groups.items.filter((group) => group.updated).map(({ index }) => index));
  return new Set(pods.filter((pod) => pod.target).map((pod) => ordinalOf(pod.name)));
}

function Ordinals({
  noun,
  total,
  partition,
  current,
  updated,
  onChoose,
}: {
  noun: string;
  total: number;
  partition: number;
  current: number;
  updated: ReadonlySet<number | null>;
  onChoose: (ordinal: number) => void;
}) {
  const summary = (
    <p className="mt-1.5 text-small text-ink-3">
      {describeMovingOrdinals(noun, total, partition, current, updated)}
    </p>
  );
  if (total > DRAWN_MAX) return summary;
  return (
    <div className="mt-3">
      <ol className="flex flex-wrap gap-1" aria-label={`${capitalize(noun)}s by number`}>
        {Array.from({ length: total }, (_, ordinal) => {
          const follows = ordinal >= partition;
          const title = `${noun} ${ordinal}: ${follows ? 'follows the target' : 'stays'}${updated.has(ordinal) ? ', runs it now' : ''}`;
          return (
            <li key={ordinal}>
              <button
                type="button"
                title={title}
                aria-label={`Partition ${ordinal}; ${title}`}
                onClick={() => onChoose(ordinal)}
                className={clsx(
                  'grid size-7 place-items-center rounded-2 font-mono text-small transition-colors max-desk:size-10',
                  follows && updated.has(ordinal) && 'bg-rev-target text-ink-inv',
                  follows && !updated.has(ordinal) && 'text-accent inset-ring-[1.25px] inset-ring-rev-target',
                  !follows && 'bg-fill text-ink-2',
                )}
              >
                {ordinal}
              </button>
            </li>
          );
        })}
      </ol>
      {summary}
    </div>
  );
}

/** The controller chooses which ones. */
function describeMovingCount(desired: number, updated: number): string {
  const moving = desired - updated;
  if (moving <= 0) return 'No pod moves now; later updates stop there.';
  return `${moving} ${moving === 1 ? 'pod moves' : 'pods move'} to the target; ${moving === 1 ? 'it is' : 'they are'} chosen by the controller.`;
}

/** "2 groups move to the target, in this order: 1, 0." */
function describeMovingOrdinals(
  noun: string,
  total: number,
  partition: number,
  current: number,
  updated: ReadonlySet<number | null>,
): string {
  const moving = Array.from({ length: total }, (_, ordinal) => ordinal)
    .filter((ordinal) => ordinal >= partition && !updated.has(ordinal))
    .reverse();
  if (moving.length === 0) {
    return partition > current ? `No ${noun} moves now; later rollouts stop there.` : `No ${noun} moves.`;
  }
  const order = moving.length > DRAWN_MAX ? formatList(moving.map(String), 4) : moving.join(', ');
  return `${formatCount(moving.length, noun)} ${moving.length === 1 ? 'moves' : 'move'} to the target, in this order: ${order}.`;
}

function ordinalOf(name: string): number | null {
  const digits = /-(\d+)$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
