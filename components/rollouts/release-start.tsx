import { isOpen } from '@/components/rollouts/rollout-labels';
import { ActorName } from '@/components/shared/actor-name';
import { AbsoluteTime, Elapsed } from '@/components/ui/time';
import { type RolloutDetail, type RolloutItem } from '@/lib/api/rollouts';

type StartedRelease = Pick<RolloutItem, 'state' | 'since' | 'release'>;
type RecordSummary = RolloutDetail['record'];

const MOVING: readonly RolloutItem['state'][] = ['waiting', 'progressing', 'paused'];

/** When the rollout began and who began it, with the source of both. `record` is of this rollout. */
export function ReleaseStart({ rollout, record }: { rollout: StartedRelease; record: RecordSummary }) {
  const { release, since, state } = rollout;
  const startedAt = release.startedAt ?? record?.startedAt ?? null;
  const actor = record?.actor ?? actorOf(release.writer);
  return (
    <>
      began{' '}
      {startedAt === null ? (
        <span className="text-ink-3">at a time unknown</span>
      ) : (
        <AbsoluteTime iso={startedAt} />
      )}
      {release.startedAt !== null && since !== null && MOVING.includes(state) && (
        <>
          , <Elapsed from={release.startedAt} /> so far
        </>
      )}
      {actor === null ? (
        <span className="text-ink-3">, by whom is not recorded</span>
      ) : (
        <>
          , {actor.name === actor.manager ? '' : 'by '}
          <ActorName actor={actor} />
          <span className="text-ink-3">
            , says {actor.source === 'shiplog' ? 'Shiplog’s audit' : 'managedFields'}
          </span>
        </>
      )}
    </>
  );
}

/**
 * Shiplog's record, unless it still belongs to the previous rollout: one that failed or was aborted has ended, even
 * if its state has not changed.
 */
export function recordOf({ state }: Pick<RolloutItem, 'state'>, record: RecordSummary): RecordSummary {
  const isEnded = !isOpen(state) || state === 'failed';
  return record !== null && !isEnded && record.outcome !== null ? null : record;
}

function actorOf(writer: RolloutItem['release']['writer']): NonNullable<RecordSummary>['actor'] {
  if (writer === null) return null;
  const { manager } = writer;
  return { name: manager, source: 'managedFields', manager };
}
