'use client';

import { useQuery } from '@tanstack/react-query';
import { identityQuery } from '@/components/queries/session';
import { Waiting } from '@/components/shared/waiting';
import { Fact, Facts } from '@/components/ui/facts';
import { Glyph } from '@/components/ui/glyph';
import { SkeletonRows } from '@/components/ui/skeleton';
import { Tag } from '@/components/ui/tag';
import type { IdentityAnswer, IdentityInCluster } from '@/lib/api/identity';
import type { AuthMode } from '@/lib/api/session';

/** Who the person is for Shiplog and for each cluster: where someone sees too little, this page shows why. */
export function Identity() {
  const { data, error, refetch } = useQuery(identityQuery());
  return (
    <>
      <h1 className="pt-4 text-lead font-semibold tracking-[-0.011em]">Your identity</h1>
      <Waiting
        answer={{ data, error }}
        loading={<SkeletonRows rows={3} label="Loading your identity" rowHeight={96} />}
        onRetry={() => void refetch()}
        className="mt-3"
      >
        {(identity) => <LoadedIdentity identity={identity} />}
      </Waiting>
    </>
  );
}

const signedInBy: Record<AuthMode, string> = {
  local: 'Local key',
  token: 'A bearer token',
  oidc: 'An OpenID Connect provider',
  'proxy-jwt': 'A signed token of the proxy',
  'proxy-headers': 'Headers of the proxy',
  anonymous: 'No sign-in: everyone who can connect is this viewer',
};

function LoadedIdentity({
  identity: { mode, name, issuer, subject, clusters },
}: {
  identity: IdentityAnswer;
}) {
  const isNamedElsewhere = mode === 'oidc' || mode === 'proxy-jwt' || mode === 'proxy-headers';
  const hasGroups = clusters.some(({ sent, answer }) => [sent, answer].some(hasOwnGroups));
  return (
    <>
      <Facts>
        <Fact label="Name">{name}</Fact>
        <Fact label="Signed in by">{signedInBy[mode]}</Fact>
        {issuer !== null && (
          <Fact label="Issuer" wide>
            <span className="literal">{issuer}</span>
          </Fact>
        )}
        {subject !== null && (
          <Fact label="Subject" wide>
            <span className="literal">{subject}</span>
          </Fact>
        )}
      </Facts>
      <p className="max-w-[76ch] pt-3 text-ink-2">
        Each cluster’s RBAC decides what you can see and do. Role bindings must name this user or group
        exactly.
      </p>
      {isNamedElsewhere && !hasGroups && (
        <p className="max-w-[76ch] pt-1.5 text-degraded">
          You have no groups. If your identity provider has some for you, an administrator should check{' '}
          <span className="literal">SHIPLOG_GROUPS_CLAIM</span> and what the provider puts into its tokens.
        </p>
      )}
      <ul className="mt-4">
        {clusters.map((cluster) => (
          <InCluster key={cluster.name} cluster={cluster} />
        ))}
      </ul>
    </>
  );
}

function InCluster({
  cluster: { name, title, credential, sent, answer, problem },
}: {
  cluster: IdentityInCluster;
}) {
  // With impersonation the two have the same user.
  const user = answer ?? sent;
  return (
    <li className="border-t border-line py-3">
      <div className="flex flex-wrap items-center gap-x-2.5 gap-y-1">
        <h2 className="min-w-0 text-title font-semibold [overflow-wrap:anywhere]">{title}</h2>
        {title !== name && <span className="text-ink-3">{name}</span>}
        {answer === null ? (
          <span className="ml-auto inline-flex items-center gap-1.5 font-medium text-degraded">
            <Glyph name="failed" size={13} /> Not accepted
          </span>
        ) : (
          <span className="ml-auto inline-flex items-center gap-1.5 font-medium text-complete">
            <Glyph name="complete" size={13} /> Accepted
          </span>
        )}
      </div>
      {problem !== null && <p className="pt-1 text-ink-2 [overflow-wrap:anywhere]">{problem}</p>}
      <Facts>
        <Fact label="Your requests are sent">{sentAs[credential]}</Fact>
        {user !== null && (
          <Fact label={answer === null ? 'User that Shiplog sends' : 'User in the cluster'} wide>
            <span className="literal">{user.user}</span>
          </Fact>
        )}
        <Fact label={answer === null ? 'Groups that Shiplog sends' : 'Groups in the cluster'} wide>
          {(user?.groups.length ?? 0) === 0 && <span className="text-ink-3">None</span>}
          {user?.groups.map((group) => (
            <Tag key={group} className="literal h-auto! whitespace-normal! [overflow-wrap:anywhere]">
              {group}
            </Tag>
          ))}
        </Fact>
      </Facts>
    </li>
  );
}

const sentAs: Record<IdentityInCluster['credential'], string> = {
  process: 'with Shiplog’s own credentials',
  impersonate: 'as you, by impersonation',
  token: 'with your own token',
  none: 'not at all',
};

/** Other than those that every API server gives to everyone who is signed in. */
function hasOwnGroups(user: IdentityInCluster['answer']): boolean {
  return user?.groups.some((group) => !/^system:(un)?authenticated$/.test(group)) === true;
}
