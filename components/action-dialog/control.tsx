'use client';

import { useQuery } from '@tanstack/react-query';
import type { ActionDescription, ActionInput } from '@/components/action-dialog/action-description';
import { ActionForm, type ActionFormProps } from '@/components/action-dialog/action-form';
import { ChangedNotice, ChangesSinceOpened } from '@/components/action-dialog/changed-notice';
import { PartitionField } from '@/components/action-dialog/partition-field';
import type { ActionRequest } from '@/components/queries/action-request';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import type { GlyphName } from '@/components/ui/glyph';
import type { WorkloadDetail } from '@/lib/api/workloads';

/** A small action on a workload. */
export interface ControlAction {
  kind: 'control';
  object: WorkloadRef;
  name: Exclude<WorkloadDetail['workload']['controls'][number]['action'], 'rollback'>;
  /**
   * The pod to delete, with its uid at the time of the click, and the number of the group that is recreated with it.
   */
  pod?: { name: string; uid: string; group?: number };
  /** Initial value of the partition field; default: the current partition. */
  partition?: number;
}

/** The form that confirms a small action and shows its effect. */
export function ControlForm({
  action,
  ...dialog
}: { action: ControlAction } & Omit<ActionFormProps<WorkloadDetail>, 'description' | 'query'>) {
  const query = useQuery(workloadDetailQuery(action.object));
  return <ActionForm {...dialog} query={query} description={describeControl(action)} />;
}

function describeControl(action: ControlAction): ActionDescription<WorkloadDetail> {
  const { object, name, pod } = action;
  const title = titleOf(action);
  const isPartition = name === 'partition';
  return {
    object,
    title: () => title,
    seenOf: ({ workload }) => workload.seen,
    initialInput: ({ workload }) => ({
      partition: isPartition ? (action.partition ?? workload.partition) : undefined,
    }),
    requestOf: (detail, input) => requestOf(action, detail, input),
    startsInField: isPartition,
    preconditionNote: () =>
      name !== 'deletePod'
        ? 'Applied only if the template has not changed since you opened this'
        : pod?.group === undefined
          ? 'Deleted only if it is still the same pod'
          : 'Restarted only if its leader is still the same pod',
    confirm: ({ input }) => ({
      label: !isPartition
        ? title
        : input.partition == null
          ? 'Set partition'
          : `Set partition to ${input.partition}`,
      glyph: pod?.group === undefined ? faces[name].glyph : 'restart',
    }),
    changedNotice: (view) =>
      (view.isChanged || view.isReloaded) && (
        <ChangedNotice name={object.name} before={view.first} now={view.now} />
      ),
    fields: (view) => isPartition && <PartitionField workload={object} view={view} />,
    changed: ({ viewed, now }) => <ChangesSinceOpened workload={object} before={viewed} now={now} />,
  };
}

function requestOf(
  { object, name, pod }: ControlAction,
  { workload }: WorkloadDetail,
  { partition }: ActionInput,
): ActionRequest | null {
  switch (name) {
    case 'pause':
    case 'resume':
    case 'restart':
    case 'releaseFields':
      return { route: `POST /api/workloads/{resource}/{namespace}/{name}/${name}`, params: object, body: {} };
    case 'partition': {
      const route = 'POST /api/workloads/{resource}/{namespace}/{name}/partition';
      const isOther = partition != null && partition !== (workload.partition ?? 0);
      return isOther ? { route, params: object, body: { to: partition } } : null;
    }
    case 'deletePod': {
      const route = 'POST /api/workloads/{resource}/{namespace}/{name}/pods/{pod}/delete';
      return pod ? { route, params: { ...object, pod: pod.name }, body: { uid: pod.uid } } : null;
    }
    default:
      return name satisfies never;
  }
}

/** The verb of the title, where it is followed by the name of the workload. */
const faces: Record<ControlAction['name'], { verb: string; glyph: GlyphName }> = {
  pause: { verb: 'Pause', glyph: 'pause' },
  resume: { verb: 'Resume', glyph: 'play' },
  restart: { verb: 'Restart', glyph: 'restart' },
  partition: { verb: 'Set partition of', glyph: 'swap' },
  deletePod: { verb: 'Delete pod', glyph: 'trash' },
  releaseFields: { verb: 'Release fields of', glyph: 'swap' },
};

function titleOf({ name, object, pod }: ControlAction): string {
  if (name === 'deletePod' && pod?.group !== undefined) return `Restart group ${pod.group} of ${object.name}`;
  return `${faces[name].verb} ${name === 'deletePod' ? (pod?.name ?? '') : object.name}`;
}
