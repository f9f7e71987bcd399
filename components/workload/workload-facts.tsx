import { Fact, Facts } from '@/components/ui/facts';
import { ExternalLink, TextLink } from '@/components/ui/link';
import { PodFigures, PodTicks } from '@/components/ui/pod-ticks';
import { OwnersFact, ownerLink } from '@/components/shared/owners-fact';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { formatCount } from '@/lib/format/text';

/** Facts about the workload: pods, desired replicas, strategy, owner, history, links. */
export function WorkloadFacts({ detail }: { detail: WorkloadDetail }) {
  const { workload } = detail;
  const ownerLinks = new Set(workload.owners.map((owner) => ownerLink(workload.links, owner)));
  const otherLinks = workload.links.filter((link) => !ownerLinks.has(link));
  const isStuck = workload.state === 'stuck' || workload.state === 'deadlineExceeded';
  return (
    <Facts>
      <Fact label="Pods by revision" wide>
        <PodTicks groups={workload.pods.byRevision} stuck={isStuck} />
        <PodFigures groups={workload.pods.byRevision} stuck={isStuck} />
      </Fact>
      <Fact label="Desired">{desiredText(workload)}</Fact>
      <Fact label="Strategy">{workload.strategy}</Fact>
      {workload.partition !== null && workload.partition > 0 && (
        <Fact label="Partition">
          {workload.partition}, {partitionText(workload, workload.partition)}
        </Fact>
      )}
      {workload.generator && (
        <Fact label="Created by">
          <TextLink
            href={workloadPagePath({ cluster: workload.cluster, ...workload.generator })}
            className="[overflow-wrap:anywhere]"
          >
            {workload.generator.kind} {workload.generator.name}
          </TextLink>
        </Fact>
      )}
      <OwnersFact owners={workload.owners} links={workload.links} />
      <Fact label="Revisions" wide>
        {historyText(detail)}
      </Fact>
      {otherLinks.length > 0 && (
        <Fact label="Links" wide>
          {otherLinks.map(({ label, url }) => (
            <ExternalLink key={url} href={url}>
              {label}
            </ExternalLink>
          ))}
        </Fact>
      )}
    </Facts>
  );
}

function desiredText({ pods, replicas, groups, producer, components }: WorkloadDetail['workload']): string {
  if (components !== undefined)
    return `${formatCount(components.length, 'component')}, ${formatCount(pods.desired, 'pod')}`;
  if (groups !== undefined)
    return `${formatCount(groups.desired, 'group')}, ${formatCount(pods.desired, 'pod')}`;
  if (producer !== undefined) return replicas === null ? 'Unknown' : String(replicas);
  if (replicas === null) return `${pods.desired}, one per matching node`;
  return String(pods.desired);
}

function partitionText(
  { partitionKeeps, partitionOf, pods }: WorkloadDetail['workload'],
  partition: number,
): string {
  const { noun, total } = partitionOf ?? { noun: 'pod', total: pods.desired };
  if (partitionKeeps === 'number') return `${partition} of ${total} held on the previous revision`;
  return partition === 1
    ? `${noun} 0 held on the previous revision`
    : `${noun}s 0 to ${Math.min(partition, total) - 1} held on the previous revision`;
}

function historyText({ revisions, workload, gaps }: WorkloadDetail): string {
  const limit = workload.revisionHistoryLimit;
  const retained = revisions.filter((revision) => revision.retained).length;
  const archived = revisions.length - retained;
  return [
    `${retained} in the cluster${limit === null ? '' : ` (history limit ${limit})`}`,
    ...(archived > 0 ? [`${archived} archived`] : []),
    ...(gaps.length > 0 ? [`${gaps.length} pruned`] : []),
  ].join(', ');
}
