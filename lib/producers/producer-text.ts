import { numberOfSource } from '@/lib/history/revision-order';
import { type RevisionHistory } from '@/lib/history/revision';
import { type Producer } from '@/lib/producers/producer';
import { producerOf } from '@/lib/producers/producers';
import { ownerOf } from '@/lib/producers/stored-object';
import { type WorkloadWithHistory } from '@/lib/workloads/kind';
import { type ProducerDescription } from '@/lib/api/workloads';
import { formatCount } from '@/lib/format/text';
import { type Workload } from '@/lib/history/workload';

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
        ? ['Shiplog does not know the controller that writes these revisions.']
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
  const { placeholder: standIn } = workload;
  if (standIn?.state === 'none')
    return standIn.component === null
      ? undefined
      : producerOf({ apiVersion: 'core.oam.dev/v1beta1', kind: 'Component' });
  return producerOf(standIn?.owner ?? (source === undefined ? null : ownerOf(source)));
}

function numberNotes(producer: Producer | undefined, { revisions }: RevisionHistory): string[] {
  const numbers = revisions.map(({ source }) => numberOfSource(source));
  const isRepeated = new Set(numbers).size < numbers.length;
  switch (producer?.numbering) {
    case 'counted':
      return isRepeated ? [REPEATED] : [];
    case 'renumbered':
      return [
        'An old template that is asked for again keeps its revision and gets a new number: the former one vanishes.',
        ...(isRepeated ? [REPEATED] : []),
      ];
    case 'constant':
      return ['Its revisions all have the same number: only the times at which they were made order them.'];
    case 'generation':
      return [
        'The number is that of the owner’s generation, so it jumps with every edit; it counts no revisions.',
      ];
    case undefined:
      return [
        isRepeated
          ? REPEATED
          : 'What the numbers mean there is not known: they may be written anew, jump, or repeat.',
      ];
  }
}

const REPEATED =
  'Several revisions have the same number; those are ordered by the times at which they were made.';

function placeholderNotes({ placeholder: standIn, name }: Workload): string[] {
  switch (standIn?.state) {
    case 'component':
      return [
        `${standIn.owner?.kind ?? 'The owner'} ${standIn.owner?.name ?? ''} has several components; these are the revisions of ${standIn.component ?? name} alone.`,
      ];
    case 'none':
      return [
        standIn.component === null
          ? 'They are listed together because nobody controls them, not because they belong together.'
          : 'Since KubeVela 1.2 such revisions have no owner; they belong together by their labels alone.',
      ];
    case 'gone':
      return ['Shiplog cannot compare with anything present: only the revisions are left.'];
    case 'unreadable':
      return ['Nothing present can be compared with: you may not read the owner.'];
    case 'unfollowed':
      return ['Nothing present can be compared with: the owner is of a kind that Shiplog does not follow.'];
    case undefined:
      return [];
  }
}

function storedNotes(producer: Producer | undefined, { stored = [] }: RevisionHistory): string[] {
  if (stored.length === 0 || producer?.storesOnly === true) return [];
  return [
    `${formatCount(stored.length, 'ControllerRevision')} of this owner ${stored.length === 1 ? 'is a copy' : 'are copies'} of other objects and no part of the history.`,
  ];
}

function uncertaintyNotes({ targetAssumed, livenessUnknown, revisions }: RevisionHistory): string[] {
  if (revisions.length === 0) return [];
  return [
    ...(targetAssumed === true
      ? ['Which revision is asked for is not told anywhere; the newest one is assumed.']
      : []),
    ...(livenessUnknown === true
      ? ['Nothing that runs names one of these revisions, so it is not known which of them are live.']
      : []),
  ];
}
