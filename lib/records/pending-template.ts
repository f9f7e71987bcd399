import type {
  Gap,
  Observation,
  ObservedActivation,
  PendingTemplate,
  RecorderMemory,
} from '@/lib/records/observation';
import { addSample } from '@/lib/records/samples';
import { isAtOrAfter, ms } from '@/lib/records/times';

/** A revision is created by another write than its template: a time this much after it is no rounding. */
const PENDING_MS_MIN = 2_000;

/**
 * A template that no revision records although the one before was recorded: with `Recreate`, the controller of a
 * Deployment creates the ReplicaSet when all former pods have ended. managedFields have one time for all that a manager
 * wrote, and none for what it removed, so that is the time of the template only where the write came after the last
 * observation. A template that is written while a Deployment is paused begins its rollout later, at a time that only the
 * revision shows.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/recreate.go
 */
export function findPending(
  { pending, activations, watchedUntil }: RecorderMemory,
  { at, target, paused, templateWrittenAt, revisions }: Observation,
  gap: Gap | null,
): PendingTemplate | null {
  if (target !== null) return null;
  const isUnknown = gap !== null || watchedUntil === null || activations.length === 0;
  if (paused || isUnknown) return { since: null, samples: [] };
  const isOfWrite =
    templateWrittenAt !== null &&
    isAtOrAfter(templateWrittenAt, watchedUntil) &&
    ms(templateWrittenAt) <= ms(at);
  const { since, samples } = pending ?? { since: isOfWrite ? templateWrittenAt : at, samples: [] };
  return { since, samples: addSample(samples, at, revisions) };
}

/** The activation from the write of its template on, where its revision came later. */
export function withPendingStart(
  observed: ObservedActivation,
  { since }: PendingTemplate,
  at: string,
): ObservedActivation {
  const recordedAt = observed.from ?? observed.fromNotAfter ?? at;
  const isEarlier = ms(recordedAt) - ms(since) > PENDING_MS_MIN;
  return isEarlier && observed.revision.id !== null ? { ...observed, from: since } : observed;
}
