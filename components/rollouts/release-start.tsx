import { isOpen } from '@/components/rollouts/rollout-words';
import { ActorName } from '@/components/ui/actor-name';
import { AbsoluteTime, Elapsed } from '@/components/ui/time';
import { type RolloutDetail, type RolloutItem } from '@/lib/api/rollouts';

type Release = Pick<RolloutItem, 'state' | 'since' | 'release'>;
type Mark = RolloutDetail['record'];

const MOVING: readonly RolloutItem['state'][] = ['waiting', 'progressing', 'paused'];

/** When the release began and who began it, with what that is known from. `record` is of this release. */
export function ReleaseStart({ rollout, record }: { rollout: Release; record: Mark }) {
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

/** Our record, unless it still is of the release before: one that failed or was aborted has ended, if not in its state. */
export function recordOf({ state }: Pick<RolloutItem, 'state'>, record: Mark): Mark {
  const isEnded = !isOpen(state) || state === 'failed';
  return record !== null && !isEnded && record.outcome !== null ? null : record;
}

function actorOf(writer: RolloutItem['release']['writer']): NonNullable<Mark>['actor'] {
  if (writer === null) return null;
  const { manager } = writer;
  return { name: manager, source: 'managedFields', manager };
}
