'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import type { ActionView } from '@/components/action-dialog/action-description';
import { Checkbox } from '@/components/action-dialog/checkbox';
import { podsQuery } from '@/components/queries/pods';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import { errorText } from '@/components/ui/error-state';
import { Field, Input } from '@/components/ui/input';
import type { PodItem } from '@/lib/api/pods';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { capitalize, formatCount, formatList } from '@/lib/format/text';

/** Above this number only the text lists them. */
const DRAWN_MAX = 40;

/**
 * The partition as a number, and which pods or groups get the target. The input is null while it is not a number from
 * 0 to the total.
 */
export function PartitionField({
  workload,
  view: { now: detail, input, onInput, fieldRef },
}: {
  workload: WorkloadRef;
  view: ActionView<WorkloadDetail>;
}) {
  const value = input.partition ?? null;
  const { noun, total, current } = partitionOf(detail);
  const [text, setText] = useState(value === null ? '' : String(value));
  const keepsNumber = detail.workload.partitionKeeps === 'number';
  const groups = detail.workload.groups?.items;
  const { data, error } = useQuery({ ...podsQuery(workload), enabled: groups === undefined });
  // The numbers of those that run the target.
  const updated =
    groups?.filter((group) => group.updated).map(({ index }) => index) ??
    data?.items.filter((pod) => pod.target).map(ordinalOf);

  function type(next: string) {
    setText(next);
    onInput({ partition: numberUpTo(total, next) });
  }

  return (
    <div className="px-6 pb-4 max-desk:px-4">
      <Field
        label="Partition"
        hint={
          keepsNumber
            ? `Now ${current}. This many of the ${total} ${noun}s stay on their revision; the others are updated.`
            : `Now ${current}. ${capitalize(noun)}s from this number up are updated; those below stay on their revision.`
        }
        error={value === null ? `Enter a whole number from 0 to ${total}.` : undefined}
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
      {value === null ? null : keepsNumber ? (
        <p className="mt-3 text-small text-ink-3">{describeMovingCount(total - value, detail)}</p>
      ) : updated === undefined ? (
        <p role="status" className="mt-3 text-small text-ink-3">
          {error === null
            ? 'Loading pods…'
            : `Pods could not be loaded, so the order is unknown. ${errorText(error)}`}
        </p>
      ) : (
        <Ordinals detail={detail} partition={value} updated={new Set(updated)} onChoose={type} />
      )}
    </div>
  );
}

/**
 * Sets the partition in the same write, to try a rollback on some pods first. `value` is undefined while the option
 * is off, null while it is not a number from 0 to the total.
 */
export function CanaryOption({
  detail,
  value,
  onChange,
}: {
  detail: WorkloadDetail;
  value: number | null | undefined;
  onChange: (value: number | null | undefined) => void;
}) {
  const { total, current } = partitionOf(detail);
  const [text, setText] = useState(() => String(current > 0 ? 0 : Math.max(0, total - 1)));
  const at = value ?? numberUpTo(total, text) ?? 0;
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-small">
      <Checkbox
        checked={value !== undefined}
        onChange={(checked) => onChange(checked ? numberUpTo(total, text) : undefined)}
      >
        Also set partition to
      </Checkbox>
      <Input
        aria-label={`Partition, 0 to ${total}`}
        aria-invalid={value === null ? true : undefined}
        type="number"
        inputMode="numeric"
        min={0}
        max={total}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          onChange(numberUpTo(total, event.target.value));
        }}
        className="h-[26px]! w-16 font-mono"
      />
      <span className={value === null ? 'text-stuck' : 'text-ink-3'}>
        {value === null
          ? `Enter a whole number from 0 to ${total}.`
          : describeCanary(detail, at, value !== undefined)}
      </span>
    </div>
  );
}

/** What the partition counts, the total, and the partition now. */
function partitionOf({ workload }: WorkloadDetail): { noun: string; total: number; current: number } {
  const pods = { noun: 'pod', total: workload.replicas ?? workload.pods.desired };
  return { ...(workload.partitionOf ?? pods), current: workload.partition ?? 0 };
}

function numberUpTo(total: number, text: string): number | null {
  return /^\d+$/.test(text) && Number(text) <= total ? Number(text) : null;
}

function Ordinals({
  detail,
  partition,
  updated,
  onChoose,
}: {
  detail: WorkloadDetail;
  partition: number;
  updated: ReadonlySet<number | null>;
  onChoose: (ordinal: string) => void;
}) {
  const { noun, total } = partitionOf(detail);
  const summary = (
    <p className="mt-1.5 text-small text-ink-3">{describeMovingOrdinals(detail, partition, updated)}</p>
  );
  if (total > DRAWN_MAX) return summary;
  return (
    <div className="mt-3">
      <ol className="flex flex-wrap gap-1" aria-label={`${capitalize(noun)}s by number`}>
        {Array.from({ length: total }, (_, ordinal) => {
          const follows = ordinal >= partition;
          const title = `${noun} ${ordinal}: ${updated.has(ordinal) ? 'updated' : follows ? 'to update' : 'held'}`;
          return (
            <li key={ordinal}>
              <button
                type="button"
                title={title}
                aria-label={`Partition ${ordinal}; ${title}`}
                onClick={() => onChoose(String(ordinal))}
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

/** "only group 3 is rolled back now; lower the partition to continue" */
function describeCanary(detail: WorkloadDetail, at: number, isChosen: boolean): string {
  const { noun, total, current } = partitionOf(detail);
  if (at === 0) return `all ${noun}s are rolled back${current > 0 && !isChosen ? `; now ${current}` : ''}`;
  if (at >= total) return `no ${noun} is rolled back until you lower it`;
  const going =
    at === total - 1 ? `only ${noun} ${at} is rolled back` : `${noun}s ${at} to ${total - 1} are rolled back`;
  return `${going} now; lower the partition to continue`;
}

/** The controller chooses which ones. */
function describeMovingCount(desired: number, { workload }: WorkloadDetail): string {
  const updated = workload.pods.byRevision.find((group) => group.target)?.pods ?? 0;
  const moving = desired - updated;
  if (moving <= 0) return 'No pod is updated now; later rollouts stop there.';
  return `${formatCount(moving, 'pod')} ${moving === 1 ? 'is' : 'are'} updated, chosen by the controller.`;
}

/** "2 groups are updated in this order: 1, 0." */
function describeMovingOrdinals(
  detail: WorkloadDetail,
  partition: number,
  updated: ReadonlySet<number | null>,
): string {
  const { noun, total, current } = partitionOf(detail);
  const moving = Array.from({ length: total }, (_, ordinal) => ordinal)
    .filter((ordinal) => ordinal >= partition && !updated.has(ordinal))
    .reverse();
  if (moving.length === 0) {
    return partition > current
      ? `No ${noun} is updated now; later rollouts stop there.`
      : `No ${noun} is updated.`;
  }
  const order = moving.length > DRAWN_MAX ? formatList(moving.map(String), 4) : moving.join(', ');
  return `${formatCount(moving.length, noun)} ${moving.length === 1 ? 'is' : 'are'} updated in this order: ${order}.`;
}

function ordinalOf({ name }: PodItem): number | null {
  const digits = /-(\d+)$/.exec(name)?.[1];
  return digits === undefined ? null : Number(digits);
}
