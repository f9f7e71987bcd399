// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { sessionQuery } from '@/components/queries/session';
import { SignIn } from '@/components/shell/sign-in';
import type { Session } from '@/lib/api/session';
import { AppError } from '@/lib/errors';
import { renderWith } from '@/test/render';

vi.mock('next/navigation', () => ({
  usePathname: () => '/workloads',
  useSearchParams: () => new URLSearchParams({ cluster: 'prod', q: 'a&b' }),
}));

afterEach(cleanup);

test('a person signs in at the provider, and returns to this page', async () => {
  const client = new QueryClient();
  const session: Session = {
    ...{ mode: 'oidc', namesCluster: false, canSignOut: true, provider: 'login.example' },
    ...{ signOutUrl: null, viewer: null, problem: null },
  };
  client.setQueryData(sessionQuery().queryKey, session);
  renderWith(client, <SignIn signIn={() => Promise.resolve()} error={null} onClose={null} />);
  const link = await screen.findByRole('link', { name: 'Sign in with login.example' });
  expect(link.getAttribute('href')).toBe('/sign-in?return=%2Fworkloads%3Fcluster%3Dprod%26q%3Da%2526b');
});

test('a person whose token was not checked reads why', async () => {
  const client = new QueryClient();
  const session: Session = {
    ...{ mode: 'token', namesCluster: false, canSignOut: true, provider: null },
    ...{ signOutUrl: null, viewer: null, problem: null },
  };
  client.setQueryData(sessionQuery().queryKey, session);
  const sentence = 'Shiplog did not check who you are. Try again in a few seconds.';
  const signIn = () => Promise.reject(new AppError('rate_limited', sentence, { retryAfterMs: 2_000 }));
  renderWith(client, <SignIn signIn={signIn} error={null} onClose={null} />);
  fireEvent.change(await screen.findByLabelText('Token'), { target: { value: 'of-ana' } });
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText(sentence)).toBeTruthy();
});
