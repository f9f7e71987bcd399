import { OwnersFact } from '@/components/shared/owners-fact';
import { Fact, Facts } from '@/components/ui/facts';
import { TextLink } from '@/components/ui/link';
import { MomentText } from '@/components/ui/moment-text';
import { AbsoluteTime } from '@/components/ui/time';
import type { RecordAnswer } from '@/lib/api/records';
import { actorText, rolloutDurationText, startMoment } from '@/lib/view/record-text';
import { useClusters } from '@/components/queries/cluster';
import { ClusterTag } from '@/components/shared/cluster-tag';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { formatDuration } from '@/lib/format/duration';
import { versionOf } from '@/lib/view/image-name';
import { jumpText, styleText, resultText } from '@/lib/view/progressive-text';
import { rolloutHistoryPagePath } from '@/components/queries/rollout-histories';
import { rolloutPagePath } from '@/components/queries/rollouts';

/** Workload, time, actor and number of pods. */
export function RecordFacts({ record }: { record: RecordAnswer }) {
  const { workload, actor } = record;
  const took = rolloutDurationText(record);
  const began = record.startedAt ?? record.startedNotAfter;
  const { isSeveral, isConnected, list } = useClusters();
  const isRead = isConnected(workload.cluster);
  const removed = list?.removed.find(({ id }) => id === workload.cluster);
  return (
    <Facts>
      <Fact label="Workload" wide>
        <span className="[overflow-wrap:anywhere]">
          {workload.namespace} /{' '}
          {isRead ? <TextLink href={workloadPagePath(workload)}>{workload.name}</TextLink> : workload.name},{' '}
          {workload.kind}
        </span>
      </Fact>
      {(isSeveral || !isRead) && (
        <Fact label="Cluster">
          {isRead ? (
            <ClusterTag cluster={workload.cluster} />
          ) : (
            `${removed?.name ?? workload.cluster} (no longer connected)`
          )}
        </Fact>
      )}
      <Fact label="Started">
        <MomentText moment={startMoment(record)} />
        {began !== null && (
          <TextLink href={`/timeline?${new URLSearchParams({ at: began, record: record.id })}`}>
            Other changes at that time
          </TextLink>
        )}
      </Fact>
      <Fact label="Ended">
        {record.endedAt === null ? (
          <span className="text-ink-3">{record.outcome === null ? 'In progress' : 'Not observed'}</span>
        ) : (
          <AbsoluteTime iso={record.endedAt} />
        )}
        {took !== null && <span className="text-ink-3">{took}</span>}
      </Fact>
      <Fact label="Changed by">
        {actorText(actor) ?? <span className="text-ink-3">Unknown</span>}
        {actor !== null && (
          <span className="text-ink-3">
            {actor.source === 'shiplog' ? '(Shiplog audit log)' : '(field manager)'}
          </span>
        )}
      </Fact>
      <Fact label="Strategy">{record.strategy}</Fact>
      <Fact label="Desired pods">{record.desiredPods ?? <span className="text-ink-3">Unknown</span>}</Fact>
      {record.images.length > 0 && (
        <Fact label="Image">
          <span className="literal" title={record.images.map(({ image }) => image).join('\n')}>
            {versionOf(record.images)}
          </span>
        </Fact>
      )}
      <OwnersFact owners={record.owners} />
      {record.clockAheadMs !== undefined && (
        <Fact label="Times" wide>
          The cluster’s time is ahead by {formatDuration(record.clockAheadMs)}: later times are cut at their
          observation
        </Fact>
      )}
      {record.unwatched.length > 0 && (
        <Fact label="Not observed" wide>
          {record.unwatched.map(({ from, to }) => (
            <span key={from}>
              <AbsoluteTime iso={from} /> to <AbsoluteTime iso={to} />
            </span>
          ))}
        </Fact>
      )}
    </Facts>
  );
}

/** The progressive rollout: its object, its result, and the cluster's own record of it. */
export function RecordProgressiveRollout({ record }: { record: RecordAnswer }) {
  const { progressiveRollout, rolloutHistories, workload } = record;
  if (progressiveRollout === null && rolloutHistories.length === 0) return null;
  return (
    <div className="-mt-3.5 [&>dl]:border-t-0">
      <Facts>
        {progressiveRollout !== null && (
          <>
            <Fact label="Rollout object" wide>
              <TextLink
                href={rolloutPagePath({
                  ...progressiveRollout,
                  cluster: workload.cluster,
                  namespace: workload.namespace,
                })}
              >
                {progressiveRollout.name}
              </TextLink>
              <span className="text-ink-3 [overflow-wrap:anywhere]">{styleText(progressiveRollout)}</span>
            </Fact>
            {progressiveRollout.result !== record.outcome && (
              <Fact label="Result" wide>
                {resultText(progressiveRollout)}
              </Fact>
            )}
            {progressiveRollout.routes.length > 0 && (
              <Fact label="Traffic routing" wide>
                {progressiveRollout.routes.map(({ kind, name }) => (
                  <span key={`${kind} ${name}`} className="[overflow-wrap:anywhere]">
                    {kind} {name}
                  </span>
                ))}
              </Fact>
            )}
            {progressiveRollout.jumps.length > 0 && (
              <Fact label="Step jumps" wide>
                {progressiveRollout.jumps.map((jump, index) => (
                  <span key={index}>
                    {jumpText(jump)} {jump.at !== null && <AbsoluteTime iso={jump.at} form="clock" />}
                  </span>
                ))}
              </Fact>
            )}
            {progressiveRollout.planEditedAt !== null && (
              <Fact label="Plan edited">
                <AbsoluteTime iso={progressiveRollout.planEditedAt} />
              </Fact>
            )}
          </>
        )}
        {rolloutHistories.length > 0 && (
          <Fact label="RolloutHistory" wide>
            {rolloutHistories.map((history) => (
              <TextLink
                key={history.name}
                href={rolloutHistoryPagePath({ cluster: workload.cluster, ...history })}
              >
                {history.name}
              </TextLink>
            ))}
          </Fact>
        )}
      </Facts>
    </div>
  );
}
