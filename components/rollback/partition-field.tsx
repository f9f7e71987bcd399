'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { sentenceOf } from '@/components/ui/error-state';
import { Field, Input } from '@/components/ui/input';
import { type PodItem, type WorkloadDetail } from '@/lib/api/workloads';
import { podsQuery } from '@/lib/queries/pods';
import { type WorkloadRef } from '@/lib/queries/workload-ref';
import { capitalised, count, listed } from '@/lib/workloads/words';

/** More of them than this are said in words only. */
const DRAWN_MAX = 40;

/**
 * The partition as a number, and which pods, or groups of them, follow the target with it. `value` is null while it is not
 * a number from 0 to how many there are.
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
  const { noun, total } = countedBy(detail);
  const present = detail.workload.partition ?? 0;
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
            ? `Now ${present}. So many of the ${total} ${noun}s stay where they are, the others follow the target.`
            : `Now ${present}. ${capitalised(noun)}s from this number up follow the target, those below stay where they are.`
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
        <p className="mt-3 text-small text-ink-3">{countWords(total - value, updatedNow)}</p>
      )}
      {value !== null && !keepsNumber && !isRead && (
        <p role="status" className="mt-3 text-small text-ink-3">
          {error === null
            ? 'Loading pods…'
            : `The pods could not be loaded, so it is unknown which ones move. ${sentenceOf(error)}`}
        </p>
      )}
      {value !== null && !keepsNumber && isRead && (
        <Ordinals
          noun={noun}
          total={total}
          partition={value}
          present={present}
          updated={updatedOf(detail, data?.items ?? [])}
          onChoose={(ordinal) => type(String(ordinal))}
        />
      )}
    </div>
  );
}

/** What the partition counts, and how many of them there are. */
function countedBy({ workload }: WorkloadDetail): { noun: string; total: number } {
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
  present,
  updated,
  onChoose,
}: {
  noun: string;
  total: number;
  partition: number;
  present: number;
  updated: ReadonlySet<number | null>;
  onChoose: (ordinal: number) => void;
}) {
  const said = (
    <p className="mt-1.5 text-small text-ink-3">{movesWords(noun, total, partition, present, updated)}</p>
  );
  if (total > DRAWN_MAX) return said;
  return (
    <div className="mt-3">
      <ol className="flex flex-wrap gap-1" aria-label={`${capitalised(noun)}s by number`}>
        {Array.from({ length: total }, (_, ordinal) => {
          const follows = ordinal >= partition;
          const words = `${noun} ${ordinal}: ${follows ? 'follows the target' : 'stays'}${updated.has(ordinal) ? ', runs it now' : ''}`;
          return (
            <li key={ordinal}>
              <button
                type="button"
                title={words}
                aria-label={`Partition ${ordinal}; ${words}`}
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
      {said}
    </div>
  );
}

/** Which ones, the controller chooses. */
function countWords(wanted: number, updated: number): string {
  const moving = wanted - updated;
  if (moving <= 0) return 'No pod moves now; later updates stop there.';
  return `${moving} ${moving === 1 ? 'pod moves' : 'pods move'} to the target; ${moving === 1 ? 'it is' : 'they are'} chosen by the controller.`;
}

/** "2 groups move to the target, in this order: 1, 0." */
function movesWords(
  noun: string,
  total: number,
  partition: number,
  present: number,
  updated: ReadonlySet<number | null>,
): string {
  const moving = Array.from({ length: total }, (_, ordinal) => ordinal)
    .filter((ordinal) => ordinal >= partition && !updated.has(ordinal))
    .reverse();
  if (moving.length === 0) {
    return partition > present ? `No ${noun} moves now; later rollouts stop there.` : `No ${noun} moves.`;
  }
  const order = moving.length > DRAWN_MAX ? listed(moving.map(String), 4) : moving.join(', ');
  return `${count(moving.length, noun)} ${moving.length === 1 ? 'moves' : 'move'} to the target, in this order: ${order}.`;
}

function ordinalOf(name: string): number | null {
  const digits = /-(\d+)$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
