'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { claimText, acceptanceText, otherwiseText } from '@/components/clusters/claim-text';
import { clustersQuery } from '@/components/queries/cluster';
import { Waiting } from '@/components/shared/waiting';
import { CopyButton } from '@/components/ui/copy-button';
import { Fact, Facts } from '@/components/ui/facts';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { TextLink } from '@/components/ui/link';
import { Notice } from '@/components/ui/notice';
import { SkeletonRows } from '@/components/ui/skeleton';
import { Tag } from '@/components/ui/tag';
import { AbsoluteTime } from '@/components/ui/time';
import type { ClusterItem, ClusterList, ClusterRefusal } from '@/lib/api/cluster';
import { formatCount } from '@/lib/format/text';
import { ClaimFacts } from '@/components/clusters/claim-facts';
import { Button } from '@/components/ui/button';
import { lazily } from '@/components/ui/lazily';

/** No change of the stream reports counts and lag. */
const INTERVAL_MS = 5_000;
/** Of memory, as measured: docs/performance.md. */
const OBJECT_BYTES = 2_900;

/** Every cluster that Shiplog reads: its state, what is wrong with it, and what would mend it. */
export function Clusters() {
  const { data, error, refetch } = useQuery({ ...clustersQuery(), refetchInterval: INTERVAL_MS });
  return (
    <>
      <h1 className="pt-4 text-lead font-semibold tracking-[-0.011em]">Clusters</h1>
      <Waiting
        answer={{ data, error }}
        loading={<SkeletonRows rows={3} label="Loading clusters" rowHeight={96} />}
        onRetry={() => void refetch()}
        className="mt-3"
      >
        {(list) => <LoadedClusters list={list} />}
      </Waiting>
    </>
  );
}

function LoadedClusters({ list: { items, removed, problem } }: { list: ClusterList }) {
  return (
    <>
      {problem !== null && (
        <Notice
          tone="stale"
          className="mt-3"
          title={
            <>
              The configuration is not in force since <AbsoluteTime iso={problem.since} />.
            </>
          }
        >
          {problem.reason} The clusters below are those of the last one without a problem.
        </Notice>
      )}
      <ul className="mt-2 border-b border-line">
        {items.map((item) => (
          <ClusterEntry key={item.name} item={item} />
        ))}
      </ul>
      {removed.length > 0 && (
        <section aria-labelledby="removed" className="pt-6">
          <h2 id="removed" className="pb-1 font-semibold">
            No longer connected
          </h2>
          <ul className="text-ink-2">
            {removed.map(({ id, name, lastSeenAt }) => (
              <li key={id} className="flex flex-wrap gap-x-2 border-t border-hair py-1.5">
                <TextLink href={`/records?${new URLSearchParams({ cluster: name ?? id })}`}>
                  History of {name ?? id}
                </TextLink>
                <span className="text-ink-3">
                  last connected <AbsoluteTime iso={lastSeenAt} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

const states: Record<ClusterItem['state'], { word: string; glyph: GlyphName; color: string }> = {
  connected: { word: 'Connected', glyph: 'complete', color: 'text-complete' },
  connecting: { word: 'Connecting', glyph: 'waiting', color: 'text-ink-2' },
  unreachable: { word: 'Unreachable', glyph: 'failed', color: 'text-degraded' },
};

const recorderWords: Record<ClusterItem['recorder']['state'], string> = {
  starting: 'Starting',
  recording: 'Recording',
  standby: 'Recorded by another instance',
  interrupted: 'Not recording',
};

const refused: (typeof states)['unreachable'] = { word: 'Refused', glyph: 'lock', color: 'text-stuck' };

function ClusterEntry({ item }: { item: ClusterItem }) {
  const { name, title, stage, since, message, refusal } = item;
  const { word, glyph, color } = refusal === null ? states[item.state] : refused;
  const text = refusal === null ? message : claimText(refusal);
  return (
    <li className="border-t border-line py-3">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h2 className="min-w-0 text-title font-semibold [overflow-wrap:anywhere]">{title}</h2>
        {title !== name && <span className="text-ink-3">{name}</span>}
        {stage !== null && <Tag tone={stage === 'production' ? 'live' : 'line'}>{stage}</Tag>}
        {item.readOnly && <Tag glyph="lock">read-only</Tag>}
        <span className={`ml-auto inline-flex items-center gap-1.5 font-medium ${color}`}>
          <Glyph name={glyph} size={13} /> {word}
          <span className="font-normal text-ink-3">
            since <AbsoluteTime iso={since} />
          </span>
        </span>
      </div>
      {text !== null && <p className="pt-1 text-ink-2 [overflow-wrap:anywhere]">{text}</p>}
      {refusal === null ? <ReadCluster item={item} /> : <RefusedClaim item={item} refusal={refusal} />}
    </li>
  );
}

function ReadCluster({ item }: { item: ClusterItem }) {
  const { name, state, message, observedAt, version, server, recorder, namespaces } = item;
  return (
    <>
      {state === 'unreachable' && (
        <p className="pt-0.5 text-ink-3">
          Shiplog keeps trying. Until it succeeds, lists show what was last read.
        </p>
      )}
      <Facts>
        {state !== 'connected' && (
          <Fact label="Last answer">
            {observedAt === null ? (
              <span className="text-ink-3">None yet</span>
            ) : (
              <AbsoluteTime iso={observedAt} />
            )}
          </Fact>
        )}
        <Fact label="Kubernetes">{version ?? <span className="text-ink-3">Unknown</span>}</Fact>
        <Fact label="API server" wide>
          <span className="literal [overflow-wrap:anywhere]">{server}</span>
        </Fact>
        {item.moved !== null && <Moved moved={item.moved} server={server} />}
        <Fact label="In memory">
          {formatCount(item.objects, 'object')}{' '}
          <span className="text-ink-3">estimated {megabytesOf(item)} MB</span>
        </Fact>
        <Fact label="Recorder">
          {recorderWords[recorder.state]}
          {recorder.reason !== null && recorder.reason !== message && (
            <span className="text-ink-3 [overflow-wrap:anywhere]">{recorder.reason}</span>
          )}
        </Fact>
        {item.credential === 'token' && (
          <Fact label="Your requests" wide>
            Sent with your own token{' '}
            <span className="text-ink-3">
              This cluster gets the token, and can use it at every cluster that accepts it until it expires.
            </span>
          </Fact>
        )}
        {namespaces !== null && <Fact label="Namespaces">{namespaces.join(', ')}</Fact>}
        <Fact label="Shown">
          <TextLink href={`/?${new URLSearchParams({ cluster: name })}`}>Workloads</TextLink>
          <TextLink href={`/records?${new URLSearchParams({ cluster: name })}`}>History</TextLink>
        </Fact>
      </Facts>
      {state !== 'connecting' &&
        item.partial.map((part) => <Missing key={`${part.resource} ${part.reason}`} part={part} />)}
    </>
  );
}

/** That the cluster kept its id when its address, or the authority of its certificate, changed. */
function Moved({
  moved: { at, from },
  server,
}: {
  moved: NonNullable<ClusterItem['moved']>;
  server: string;
}) {
  if (from === server)
    return (
      <Fact label="Certificate authority">
        <span>
          Changed <AbsoluteTime iso={at} />
        </span>
      </Fact>
    );
  return (
    <Fact label="Previous address" wide>
      <span className="literal [overflow-wrap:anywhere]">{from}</span>
      <span className="text-ink-3">
        changed <AbsoluteTime iso={at} />
      </span>
    </Fact>
  );
}

/** A resource that can't be read, with the rule that would allow it. */
function Missing({ part: { resource, reason } }: { part: ClusterItem['partial'][number] }) {
  const rule = resource === undefined ? null : ruleFor(resource);
  return (
    <details className="pt-1.5 text-ink-2">
      <summary className="cursor-pointer [overflow-wrap:anywhere]">{reason}</summary>
      {rule !== null && (
        <div className="flex flex-wrap items-start gap-3 pt-1.5 pl-4">
          <pre className="overflow-x-auto rounded-3 bg-fill px-3 py-2 text-code">{rule}</pre>
          <CopyButton
            size="small"
            tone="quiet"
            glyph="copy"
            label="Copy the rule for a ClusterRole"
            text={() => rule}
          >
            Copy rule
          </CopyButton>
        </div>
      )}
    </details>
  );
}

function megabytesOf({ objects, templateBytes }: ClusterItem): number {
  return Math.max(1, Math.round((objects * OBJECT_BYTES + templateBytes) / 1_000_000));
}

/** The rule that lets Shiplog read a resource, named as `deployments.apps`, for a ClusterRole. */
export function ruleFor(resource: string): string {
  const dot = resource.indexOf('.');
  const [plural, group] = dot === -1 ? [resource, ''] : [resource.slice(0, dot), resource.slice(dot + 1)];
  return `- apiGroups: ["${group}"]
  resources: ["${plural}"]
  verbs: ["get", "list", "watch"]
`;
}

const AcceptDialog = lazily(async () => (await import('@/components/clusters/accept-dialog')).AcceptDialog);

/** What a cluster that is not read claims to be, what accepting that means, and who can. */
function RefusedClaim({ item, refusal }: { item: ClusterItem; refusal: ClusterRefusal }) {
  const [isOpen, setOpen] = useState(false);
  const { name, title, acceptDenied } = item;
  return (
    <>
      <ClaimFacts refusal={refusal} server={item.server} />
      <p className="max-w-[100ch] pt-2.5 text-ink-2">
        {acceptanceText(name, refusal)} {otherwiseText(refusal)}
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 pt-2">
        <Button disabledReason={acceptDenied} onClick={() => setOpen(true)} aria-haspopup="dialog">
          Accept {title}…
        </Button>
        {acceptDenied !== null && (
          <p className="min-w-0 flex-1 basis-60 text-small text-ink-3 [overflow-wrap:anywhere]">
            {acceptDenied}
          </p>
        )}
      </div>
      {isOpen && <AcceptDialog item={item} refusal={refusal} onClose={() => setOpen(false)} />}
    </>
  );
}
