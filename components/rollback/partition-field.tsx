'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Field, Input } from '@/components/ui/input';
import { type PodItem, type WorkloadDetail } from '@/lib/api/workloads';
import { podsQuery } from '@/lib/queries/pods';
import { type WorkloadRef } from '@/lib/queries/workload-ref';

/** More pods than this are said in words only. */
const DRAWN_MAX = 40;

/** The partition as a number, and which pods follow the target with it. `value` is null while it is not a number from 0 to the replicas. */
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
  const replicas = detail.workload.replicas ?? detail.workload.pods.desired;
  const present = detail.workload.partition ?? 0;
  const [text, setText] = useState(value === null ? '' : String(value));
  const { data } = useQuery(podsQuery(workload));
  const isWrong = value === null;
  const keepsNumber = detail.workload.partitionKeeps === 'number';
  const updatedNow = detail.workload.pods.byRevision.find((group) => group.target)?.pods ?? 0;

  function type(next: string) {
    setText(next);
    const number = Number(next);
    onChange(/^\d+$/.test(next) && number <= replicas ? number : null);
  }

  return (
    <div className="px-6 pb-4 max-desk:px-4">
      <Field
        label="Partition"
        hint={
          keepsNumber
            ? `Now ${present}. So many of the ${replicas} pods stay where they are, the others follow the target.`
            : `Now ${present}. Pods from this number up follow the target, those below stay where they are.`
        }
        error={isWrong ? `A whole number from 0 to ${replicas}.` : undefined}
      >
        {(field) => (
          <Input
            {...field}
            ref={fieldRef}
            type="number"
            inputMode="numeric"
            min={0}
            max={replicas}
            value={text}
            onChange={(event) => type(event.target.value)}
            className="w-24 font-mono"
          />
        )}
      </Field>
      {value !== null && keepsNumber && (
        <p className="mt-3 text-small text-ink-3">{countWords(replicas - value, updatedNow)}</p>
      )}
      {value !== null && !keepsNumber && replicas <= DRAWN_MAX && (
        <Ordinals
          replicas={replicas}
          partition={value}
          present={present}
          pods={data?.items ?? []}
          onChoose={(ordinal) => type(String(ordinal))}
        />
      )}
    </div>
  );
}

function Ordinals({
  replicas,
  partition,
  present,
  pods,
  onChoose,
}: {
  replicas: number;
  partition: number;
  present: number;
  pods: readonly PodItem[];
  onChoose: (ordinal: number) => void;
}) {
  const updated = new Set(pods.filter((pod) => pod.target).map((pod) => ordinalOf(pod.name)));
  return (
    <div className="mt-3">
      <ol className="flex flex-wrap gap-1" aria-label="Pods by number">
        {Array.from({ length: replicas }, (_, ordinal) => {
          const follows = ordinal >= partition;
          const words = `pod ${ordinal}: ${follows ? 'follows the target' : 'stays'}${updated.has(ordinal) ? ', runs it now' : ''}`;
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
      <p className="mt-1.5 text-small text-ink-3">{movesWords(replicas, partition, present, updated)}</p>
    </div>
  );
}

/** Which ones, the controller chooses. */
function countWords(wanted: number, updated: number): string {
  const moving = wanted - updated;
  if (moving <= 0) return 'No pod moves now; later updates stop there.';
  return `${moving} ${moving === 1 ? 'pod moves' : 'pods move'} to the target; ${moving === 1 ? 'it is' : 'they are'} chosen by the controller.`;
}

/** "2 pods move: 1 and 0." */
function movesWords(
  replicas: number,
  partition: number,
  present: number,
  updated: ReadonlySet<number | null>,
): string {
  const moving = Array.from({ length: replicas }, (_, ordinal) => ordinal)
    .filter((ordinal) => ordinal >= partition && !updated.has(ordinal))
    .reverse();
  if (moving.length === 0) {
    return partition > present ? 'No pod moves now; later rollouts stop there.' : 'No pod moves.';
  }
  return `${moving.length} ${moving.length === 1 ? 'pod moves' : 'pods move'} to the target, in this order: ${moving.join(', ')}.`;
}

function ordinalOf(name: string): number | null {
  const digits = /-(\d+)$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
