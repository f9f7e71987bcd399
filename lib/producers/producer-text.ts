import { numberOfSource } from '@/lib/history/revision-order';
import type { RevisionHistory } from '@/lib/history/revision';
import type { Producer } from '@/lib/producers/producer';
import { producerOf } from '@/lib/producers/producers';
import { ownerOf } from '@/lib/producers/stored-object';
import type { WorkloadWithHistory } from '@/lib/workloads/kind';
import type { ProducerDescription } from '@/lib/api/workloads';
import { formatCount } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';

/** Who writes the revisions of an owner, what their numbers mean, and what is only assumed: for the top of its page. */
export function describeProducer({
  workload,
  history,
}: Pick<WorkloadWithHistory, 'workload' | 'history'>): ProducerDescription {
  const producer = producerFor(workload, history);
  return {
    name: producer?.name ?? null,
    notes: [
      ...(producer === undefined
        ? ['Shiplog does not know the controller that creates these revisions.']
        : []),
      ...(producer?.notes ?? []),
      ...(producer?.storesOnly === true ? [] : numberNotes(producer, history)),
      ...placeholderNotes(workload),
      ...storedNotes(producer, history),
      ...uncertaintyNotes(history),
    ],
  };
}

/** By the owner's own object, by the controller in the revisions, or by their labels. */
function producerFor(workload: Workload, { revisions, stored = [] }: RevisionHistory): Producer | undefined {
  const source = revisions[0]?.source ?? stored[0];
  const { placeholder } = workload;
  if (placeholder?.state === 'none')
    return placeholder.component === null
      ? undefined
      : producerOf({ apiVersion: 'core.oam.dev/v1beta1', kind: 'Component' });
  return producerOf(placeholder?.owner ?? (source === undefined ? null : ownerOf(source)));
}

function numberNotes(producer: Producer | undefined, { revisions }: RevisionHistory): string[] {
  const numbers = revisions.map(({ source }) => numberOfSource(source));
  const isRepeated = new Set(numbers).size < numbers.length;
  switch (producer?.numbering) {
    case 'counted':
      return isRepeated ? [REPEATED] : [];
    case 'renumbered':
      return [
        'A rollback gives the earlier revision a new number; its previous number disappears.',
        ...(isRepeated ? [REPEATED] : []),
      ];
    case 'constant':
      return ['All its revisions have the same number; they are ordered by creation time.'];
    case 'generation':
      return [
        'The number is the generation of the owner: it increases with every change and does not count revisions.',
      ];
    case undefined:
      return [
        isRepeated
          ? REPEATED
          : 'The meaning of its numbers is unknown: they may be rewritten, skip or repeat.',
      ];
  }
}

const REPEATED = 'Several revisions have the same number; those are ordered by creation time.';

function placeholderNotes({ placeholder, name }: Workload): string[] {
  switch (placeholder?.state) {
    case 'component':
      return [
        `${placeholder.owner?.kind ?? 'The owner'} ${placeholder.owner?.name ?? ''} has several components. These are the revisions of ${placeholder.component ?? name} alone.`,
      ];
    case 'none':
      return [
        placeholder.component === null
          ? 'They are listed together because they have no controller; they may be unrelated.'
          : 'Since KubeVela 1.2 such revisions have no owner; they are grouped by their labels.',
      ];
    case 'gone':
      return ['There is no current state to compare with: only the revisions remain.'];
    case 'unreadable':
      return ['There is no current state to compare with: you are not allowed to read the owner.'];
    case 'unfollowed':
      return ['There is no current state to compare with: Shiplog does not watch the kind of the owner.'];
    case undefined:
      return [];
  }
}

function storedNotes(producer: Producer | undefined, { stored = [] }: RevisionHistory): string[] {
  if (stored.length === 0 || producer?.storesOnly === true) return [];
  return [
    `${formatCount(stored.length, 'ControllerRevision')} of this owner ${stored.length === 1 ? 'is a copy' : 'are copies'} of other objects, not part of the history.`,
  ];
}

function uncertaintyNotes({ targetAssumed, livenessUnknown, revisions }: RevisionHistory): string[] {
  if (revisions.length === 0) return [];
  return [
    ...(targetAssumed === true ? ['No field names the target revision; the newest one is assumed.'] : []),
    ...(livenessUnknown === true
      ? ['No pod names one of these revisions, so it is unknown which of them are live.']
      : []),
  ];
}
