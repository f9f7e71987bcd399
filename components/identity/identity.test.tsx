// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Identity } from '@/components/identity/identity';
import { identityQuery } from '@/components/queries/session';
import type { IdentityAnswer, IdentityInCluster } from '@/lib/api/identity';
import { renderWith } from '@/test/render';

afterEach(cleanup);

const known: IdentityInCluster = {
  ...{ name: 'prod', title: 'Production', credential: 'impersonate', problem: null },
  sent: { user: 'oidc:ana', groups: ['oidc:sre'] },
  answer: { user: 'oidc:ana', groups: ['oidc:sre', 'system:authenticated'] },
};

function show(clusters: readonly IdentityInCluster[], rest: Partial<IdentityAnswer> = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  const person = { name: 'ana', issuer: 'https://login.example', subject: '42' };
  client.setQueryData(identityQuery().queryKey, { mode: 'oidc', ...person, clusters, ...rest });
  renderWith(client, <Identity />);
  return screen.getAllByRole('listitem').map(({ textContent }) => textContent);
}

test('shows whom the cluster takes the person for', () => {
  expect(show([known])).toEqual([
    expect.stringMatching(
      /Production.*Accepted.*as you, by impersonation.*in the cluster.*oidc:ana.*oidc:sre.*system:authenticated/,
    ),
  ]);
  expect(screen.getByText('https://login.example')).toBeTruthy();
  expect(screen.queryByText(/You have no groups/)).toBeNull();
});

test('says why a cluster does not know the person, with what was sent', () => {
  const problem = 'The account of Shiplog cannot impersonate oidc:ana.';
  expect(show([{ ...known, answer: null, problem }])).toEqual([
    expect.stringMatching(/Not accepted.*cannot impersonate oidc:ana.*Groups that Shiplog sends.*oidc:sre/),
  ]);
});

test('says what to check where an identity provider names no groups', () => {
  const none = { user: 'oidc:ana', groups: [] };
  show([{ ...known, sent: none, answer: { ...none, groups: ['system:authenticated'] } }]);
  expect(screen.getByText(/You have no groups/).textContent).toContain('SHIPLOG_GROUPS_CLAIM');
});
