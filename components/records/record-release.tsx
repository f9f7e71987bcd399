import { Fact, Facts } from '@/components/ui/facts';
import { TextLink } from '@/components/ui/link';
import { AbsoluteTime } from '@/components/ui/time';
import { type RecordAnswer } from '@/lib/api/records';
import { jumpText, styleText, resultText } from '@/lib/view/progressive-text';
import { rolloutHistoryPagePath } from '@/components/queries/rollout-histories';
import { rolloutPagePath } from '@/components/queries/rollouts';

/** The controller that ran the rollout in steps, the result, and the cluster's own record of it. */
export function RecordRelease({ record }: { record: RecordAnswer }) {
  const { release, rolloutHistories, workload } = record;
  if (release === null && rolloutHistories.length === 0) return null;
  return (
    <div className="-mt-3.5 [&>dl]:border-t-0">
      <Facts>
        {release !== null && (
          <>
            <Fact label="Released by" wide>
              <TextLink href={rolloutPagePath({ ...release, namespace: workload.namespace })}>
                {release.name}
              </TextLink>
              <span className="text-ink-3 [overflow-wrap:anywhere]">{styleText(release)}</span>
            </Fact>
            <Fact label="Release" wide>
              {resultText(release)}
            </Fact>
            {release.routes.length > 0 && (
              <Fact label="Traffic by" wide>
                {release.routes.map(({ kind, name }) => (
                  <span key={`${kind} ${name}`} className="[overflow-wrap:anywhere]">
                    {kind} {name}
                  </span>
                ))}
              </Fact>
            )}
            {release.jumps.length > 0 && (
              <Fact label="Jumped" wide>
                {release.jumps.map((jump, index) => (
                  <span key={index}>
                    {jumpText(jump)} {jump.at !== null && <AbsoluteTime iso={jump.at} form="clock" />}
                  </span>
                ))}
              </Fact>
            )}
            {release.planEditedAt !== null && (
              <Fact label="Plan edited">
                <AbsoluteTime iso={release.planEditedAt} />
              </Fact>
            )}
          </>
        )}
        {rolloutHistories.length > 0 && (
          <Fact label="In the cluster" wide>
            {rolloutHistories.map((history) => (
              <TextLink key={history.name} href={rolloutHistoryPagePath(history)}>
                {history.name}
              </TextLink>
            ))}
          </Fact>
        )}
      </Facts>
    </div>
  );
}
