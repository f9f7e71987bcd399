import { Fact, Facts } from '@/components/ui/facts';
import { ExternalLink, TextLink } from '@/components/ui/link';
import { PodFigures, PodTicks } from '@/components/ui/pod-ticks';
import { LocalizedTimesText } from '@/components/ui/localized-times-text';
import { type Link } from '@/lib/api/common';
import { type OwnerItem, type WorkloadDetail } from '@/lib/api/workloads';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { formatCount } from '@/lib/format/text';

/** Facts about the workload: pods, desired replicas, strategy, owner, history, links. */
export function WorkloadFacts({ detail }: { detail: WorkloadDetail }) {
  const { workload } = detail;
  const ownerLinks = new Set(workload.owners.map((owner) => linkOf(workload, owner)));
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
      {workload.owners.length > 0 && (
        <Fact label="Managed by" wide>
          {workload.owners.map((owner) => (
            <Owner
              key={`${owner.tool} ${owner.noun} ${owner.name}`}
              owner={owner}
              link={linkOf(workload, owner)}
            />
          ))}
        </Fact>
      )}
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

/**
 * "Argo CD application shop-checkout", as a link where one to the tool is configured, and what it does to a rollback. The
 * title has what shows it, and how to keep a rollback.
 */
function Owner({
  owner: { tool, noun, name, evidence, note, advice },
  link,
}: {
  owner: OwnerItem;
  link: Link | undefined;
}) {
  return (
    <span title={`${advice} Shown by: ${evidence}.`} className="[overflow-wrap:anywhere]">
      {tool}
      {name !== null && ` ${noun}`.trimEnd()}
      {name !== null && ' '}
      {name !== null && link === undefined && <span className="literal">{name}</span>}
      {link !== undefined && <ExternalLink href={link.url}>{name ?? 'Open'}</ExternalLink>}
      {': '}
      <span className="text-ink-2">
        <LocalizedTimesText text={note} />
      </span>
    </span>
  );
}

/** The configured link that carries the name of the tool. */
function linkOf({ links }: WorkloadDetail['workload'], { tool, name }: OwnerItem): Link | undefined {
  return name === null ? undefined : links.find(({ label }) => label === tool);
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
