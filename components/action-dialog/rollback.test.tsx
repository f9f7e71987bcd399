// @vitest-environment jsdom
import { QueryClient } from '@tanstack/react-query';
import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { action, answer, changed, detail, diff, revision } from '@/components/action-dialog/testing/fixtures';
import { ActionDialog } from '@/components/action-dialog/action-dialog';
import { RollbackForm } from '@/components/action-dialog/rollback';
import type { IncarnationRevision } from '@/components/action-dialog/rollback-targets';
import { updateConnection } from '@/components/ui/connection';
import type { Action } from '@/lib/api/action';
import type { ActionAnswer } from '@/lib/api/actions';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { renderWith } from '@/test/render';

const workload = { cluster: undefined, resource: 'deployments.apps', namespace: 'shop', name: 'checkout' };
const path = '/api/workloads/deployments.apps/shop/checkout';

interface Sent {
  body: Record<string, unknown>;
  key: string | null;
}

/** A fake Shiplog whose answers a test can change while the dialog is open. */
class FakeApi {
  detail: WorkloadDetail = detail();
  action: Action = action();
  preview: () => Promise<Response> | Response = () => Response.json(answer());
  write: (sent: Sent) => Promise<Response> | Response = () =>
    Response.json(answer({ applied: true, result: { actionId: 'a1', state: 'accepted' } }));
  readonly previews: Sent[] = [];
  readonly writes: Sent[] = [];

  readonly fetch = async (input: string, init: RequestInit = {}): Promise<Response> => {
    const url = new URL(input, 'http://localhost');
    if (url.pathname === path) return Response.json(this.detail);
    if (url.pathname === `${path}/diff`) return Response.json(diff());
    if (url.pathname === `${path}/pods`)
      return Response.json({ items: [], partial: [], observedAt: '2026-09-17T12:32:00Z', stale: false });
    if (url.pathname === '/api/actions/a1') return Response.json(this.action);
    if (url.pathname === `${path}/rollback`) return this.rollback(init);
    return error(404, 'not_found', `nothing at ${url.pathname}`);
  };

  private async rollback(init: RequestInit): Promise<Response> {
    const sent = {
      body: JSON.parse(typeof init.body === 'string' ? init.body : '') as Record<string, unknown>,
      key: new Headers(init.headers).get('idempotency-key'),
    };
    const isPreview = sent.body.dryRun === true;
    (isPreview ? this.previews : this.writes).push(sent);
    return isPreview ? await this.preview() : await this.write(sent);
  }
}

function error(status: number, code: string, message: string, details = {}): Response {
  return Response.json({ error: { code, message, details } }, { status });
}

let api: FakeApi;
let client: QueryClient;

beforeEach(() => {
  api = new FakeApi();
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  vi.stubGlobal('fetch', api.fetch);
  updateConnection({ link: 'live', cluster: 'connected' });
});
afterEach(() => {
  cleanup();
  client.clear();
  sessionStorage.clear();
  vi.unstubAllGlobals();
});

function open(to: string | null = null, foreign?: IncarnationRevision) {
  renderWith(
    client,
    <ActionDialog
      action={{ kind: 'rollback', object: workload, to, foreign }}
      open
      onOpenChange={() => undefined}
      RollbackForm={RollbackForm}
    />,
  );
  return userEvent.setup();
}
const confirmButton = (name = 'Roll back to rev 42 (2.42.0)') => screen.findByRole('button', { name });
const ready = () =>
  waitFor(async () => expect((await confirmButton()).getAttribute('aria-disabled')).toBeNull());
const answerWith = (change: Partial<ActionAnswer>) => () => Response.json(answer(change));
async function expectOff(reason: RegExp, name?: string) {
  const button = await confirmButton(name);
  expect(button.getAttribute('aria-disabled')).toBe('true');
  expect(document.getElementById(button.getAttribute('aria-describedby') ?? '')?.textContent).toMatch(reason);
  await userEvent.click(button);
  expect(api.writes).toEqual([]);
}
/** The target becomes revision 44, and the stream reports it. */
async function changeUnderneath() {
  api.detail = detail({}, 44);
  await act(() => client.invalidateQueries({ queryKey: ['workload'] }));
}

it('offers the default target and writes the previewed template', async () => {
  const user = open();
  await ready();
  await user.type(screen.getByLabelText('Reason'), 'it crashes');
  await user.click(await confirmButton());
  expect(api.writes.map((sent) => sent.body)).toEqual([
    {
      to: 'rs-42',
      toSeen: 'to-42',
      seen: 'seen-43',
      reason: 'it crashes',
      dryRun: false,
      likeKubectl: false,
    },
  ]);
  expect(await screen.findByText('Rolling back to rev 42 (2.43.0)')).toBeTruthy();
});

it('sets the partition in the same write, once that is chosen and previewed', async () => {
  api.detail = detail({ movesPartition: true, partition: 0, partitionOf: { noun: 'group', total: 4 } });
  const user = open();
  await ready();
  expect(screen.getByText('only group 3 is rolled back now; lower the partition to continue')).toBeTruthy();
  await user.click(screen.getByRole('checkbox', { name: 'Also set partition to' }));
  const field = screen.getByRole('spinbutton', { name: 'Partition, 0 to 4' });
  await user.clear(field);
  await expectOff(/./);
  await user.type(field, '2');
  await waitFor(() => expect(api.previews.at(-1)?.body).toMatchObject({ partition: 2 }));
  await ready();
  await user.click(await confirmButton());
  expect(api.writes.map(({ body }) => body)).toMatchObject([{ to: 'rs-42', partition: 2, dryRun: false }]);
});

it('does not confirm while the preview is loading', async () => {
  api.preview = () => new Promise(() => undefined);
  open();
  await expectOff(/Running checks/, 'Running checks…');
  await userEvent.keyboard('{Control>}{Enter}{/Control}');
  expect((await screen.findByRole('alert')).textContent).toBe('Press again when they are done.');
  expect(api.writes).toEqual([]);
});

it('does not confirm without a diff', async () => {
  api.preview = answerWith({ diff: null });
  open();
  await screen.findByRole('region', { name: 'Checks' });
  await expectOff(/could not be determined/);
});

it('does not confirm without a dry run, nor after one that was rejected', async () => {
  api.preview = answerWith({ dryRun: null });
  open();
  await screen.findByRole('region', { name: 'Checks' });
  await expectOff(/dry run is not available/);
});

it('gives the reason when the preview is forbidden', async () => {
  api.preview = () => error(403, 'forbidden', 'User "nina" cannot patch deployments');
  open();
  await screen.findByText('Preview not available');
  await expectOff(/nina/);
});

it('does not confirm while the page is stale', async () => {
  open();
  await ready();
  act(() => updateConnection({ cluster: 'unreachable' }));
  await expectOff(/The cluster is unreachable/);
});

it('leaves the chosen revision when the workload changes, and says what changed', async () => {
  const user = open('rs-41');
  await confirmButton('Roll back to rev 41 (2.41.0)');
  await screen.findByRole('region', { name: 'Checks' });
  await changeUnderneath();
  expect(
    await screen.findByText('checkout changed since you opened this dialog. Nothing was applied.'),
  ).toBeTruthy();
  expect(screen.getByText('Changes since you opened this')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Roll back/ })).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Review again' }));
  await confirmButton('Roll back from rev 44 to rev 41 (2.41.0)');
  await waitFor(() => expect(api.previews.at(-1)?.body).toMatchObject({ to: 'rs-41', seen: 'seen-44' }));
});

it('does not reload the preview by itself when the workload changes', async () => {
  open();
  await ready();
  await changeUnderneath();
  await screen.findByRole('button', { name: 'Review again' });
  expect(api.previews).toHaveLength(1);
});

it('follows a write that the API server did not answer, and does not offer to send it again', async () => {
  const message = 'The API server did not answer, and the cluster does not show the write so far.';
  api.write = () => error(504, 'timeout', message, { outcome: 'unknown', actionId: 'a1' });
  api.action = { ...action(), state: 'accepted', unanswered: true, message, progress: null };
  const user = open();
  await ready();
  await user.click(await confirmButton());
  expect(await screen.findByText(message)).toBeTruthy();
  expect(screen.getByText(/may or may not have been applied. Shiplog keeps checking/)).toBeTruthy();
  expect(screen.getByText('Sent')).toBeTruthy();
  expect(screen.queryByText('Applied')).toBeNull();
  expect(screen.queryByRole('button', { name: /Retry|Roll back/ })).toBeNull();
});

it('requires a new preview when the server finds the workload changed at the write', async () => {
  api.write = () => {
    api.detail = detail({}, 44);
    return error(409, 'changed', 'checkout changed', { diff: diff() });
  };
  const user = open();
  await ready();
  await user.type(screen.getByLabelText('Reason'), 'kept');
  await user.click(await confirmButton());
  await user.click(await screen.findByRole('button', { name: 'Review again' }));
  await confirmButton('Roll back from rev 44 to rev 42 (2.42.0)');
  expect(screen.getByLabelText('Reason')).toHaveProperty('value', 'kept');
});

it('puts the findings of a refusal first and leaves the dialog open', async () => {
  const findings = [
    { severity: 'refusal', code: 'paused', message: 'checkout was paused.', action: 'Resume it.' },
  ];
  api.write = () => error(422, 'refused', 'Refused.', { findings });
  const user = open();
  await ready();
  await user.click(await confirmButton());
  expect(await screen.findByText('Nothing was applied.')).toBeTruthy();
  expect(
    within(screen.getByRole('region', { name: 'Checks' })).getAllByRole('listitem')[0]?.textContent,
  ).toMatch(/checkout was paused/);
});

it('sends one request for a double press, and the same key again when no answer came', async () => {
  let answerNow: (response: Response) => void = () => undefined;
  api.write = () => new Promise((_, reject) => (answerNow = () => reject(new TypeError('network'))));
  const user = open();
  await ready();
  await user.dblClick(await confirmButton());
  await user.keyboard('{Control>}{Enter}{/Control}');
  expect(api.writes).toHaveLength(1);
  await act(() => Promise.resolve(answerNow(Response.error())));
  await user.click(await screen.findByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(api.writes).toHaveLength(2));
  expect(api.writes[1]).toEqual(api.writes[0]);
  expect(api.writes[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
});

it('confirms with Control and Enter, also from the reason', async () => {
  const user = open();
  await ready();
  await user.type(screen.getByLabelText('Reason'), 'quick{Control>}{Enter}{/Control}');
  await waitFor(() => expect(api.writes.map((sent) => sent.body.reason)).toEqual(['quick']));
});

it('shows text from the cluster as plain text', async () => {
  const evil = '<img src=x onerror="document.title=1">';
  api.preview = answerWith({
    diff: diff({ changes: [changed(evil, evil, '[masked:0badcafe]')] }),
    findings: [{ severity: 'warning', code: 'x', message: evil, action: evil }],
  });
  open();
  await screen.findAllByText(evil, { exact: false });
  expect(document.querySelector('img')).toBeNull();
  expect(screen.getByText('[masked:0badcafe]', { exact: false })).toBeTruthy();
});

it('chooses no target that nothing proves, and offers the choice', async () => {
  const why = 'not proven: archive not reachable; outcome unknown';
  api.detail = detail({ defaultTarget: { id: 'rs-42', number: 42, why, unproven: true } });
  const user = open();
  expect(await screen.findByText('No proven revision')).toBeTruthy();
  expect(api.previews).toEqual([]);
  await user.click(screen.getByRole('button', { name: 'Choose a revision' }));
  const likely = await screen.findByRole('menuitemcheckbox', { name: /^rev 42/ });
  expect(likely.textContent).toMatch(/Not proven/);
  await user.click(likely);
  await ready();
  expect(screen.getByText(/^not proven: archive not reachable/)).toBeTruthy();
  expect(api.previews.at(-1)?.body).toMatchObject({ to: 'rs-42' });
});

it('says that there is nothing to roll back to', async () => {
  api.detail = { ...detail({ defaultTarget: null }), revisions: detail().revisions.slice(0, 1) };
  open();
  expect(await screen.findByText('No earlier revision')).toBeTruthy();
  expect(api.previews).toEqual([]);
});

const dropped = { prunedAt: '2026-09-10T08:00:00Z', hasTemplate: true };

it('lists archived revisions in a group of their own, as pruned from the cluster', async () => {
  const known = detail();
  api.detail = {
    ...known,
    revisions: [
      ...known.revisions,
      revision(7, { retained: false, archived: dropped }),
      revision(6, { retained: false, archived: { prunedAt: null, hasTemplate: false } }),
    ],
  };
  api.preview = answerWith({
    revision: {
      id: 'rs-7',
      number: 7,
      origin: 'archive',
      prunedAt: dropped.prunedAt,
      recordedAt: '2026-08-01T08:00:00Z',
    },
  });
  const user = open();
  await ready();
  await user.click(screen.getByRole('button', { name: 'Choose another revision' }));
  expect(await screen.findByText('Archived (pruned from the cluster)')).toBeTruthy();
  expect(screen.queryByRole('menuitemcheckbox', { name: /^rev 6/ })).toBeNull();
  await user.click(screen.getByRole('menuitemcheckbox', { name: /^rev 7/ }));
  await confirmButton('Roll back to rev 7 (2.7.0)');
  const kept = await screen.findByText(/Pruned from the cluster/);
  await waitFor(() => expect(kept.textContent).toMatch(/Template from the archive, recorded .*Aug/));
  await waitFor(() => expect(api.previews.at(-1)?.body).toMatchObject({ to: 'rs-7' }));
});

it.each([
  ['cluster', 1],
  ['archive', 0],
] as const)('offers the alternatives of kubectl for a template from the %s: %i', async (origin, ways) => {
  const { plan } = answer();
  if (plan === null) throw new Error('no plan');
  const kubectl =
    origin === 'cluster' ? plan.kubectl : '# kubectl rollout undo cannot roll back to revision 42';
  const revision = { id: 'rs-42', number: 42, origin, prunedAt: null, recordedAt: null };
  api.preview = answerWith({ plan: { ...plan, kubectl }, revision });
  open();
  await ready();
  expect(screen.queryAllByRole('checkbox', { name: /^Match kubectl rollout undo/ })).toHaveLength(ways);
  expect(screen.queryAllByRole('button', { name: 'Copy kubectl command' })).toHaveLength(ways);
});

it('accepts a template of an earlier incarnation, and names it', async () => {
  const incarnation = { uid: 'old', from: '2026-07-01T00:00:00Z', to: '2026-08-01T00:00:00Z' };
  const foreign = { revision: revision(3, { id: 'old-3', retained: false, archived: dropped }), incarnation };
  open('old-3', foreign);
  await confirmButton('Roll back to rev 3 (2.3.0)');
  expect(screen.getByText('Earlier object')).toBeTruthy();
  expect(screen.getByText(/Workload deleted/)).toBeTruthy();
  await waitFor(() => expect(api.previews.at(-1)?.body).toMatchObject({ to: 'old-3' }));
});

it('says first what happens to the capacity, and how long that took before', async () => {
  const { plan } = answer();
  const capacity = { replaced: 4, serving: 3, phrases: ['4 pods replaced', 'at least 3 serving'] };
  api.preview = answerWith({ plan: plan && { ...plan, capacity }, usualDurationMs: 20_000 });
  open();
  await ready();
  expect(document.body.textContent).toContain('4 pods replaced, about 20 s, at least 3 serving');
});

it('folds passed checks into one line below the findings, with the command and the link of the GitOps tool', async () => {
  api.detail = detail({ links: [{ label: 'Argo CD', url: 'https://argocd.example/applications/shop' }] });
  const command = 'argocd app set shop --sync-policy none';
  const managed = {
    severity: 'warning',
    code: 'gitops_owner',
    message: 'Managed by Argo CD.',
    action: 'Disable.',
  };
  const passed = { severity: 'passed', code: 'permitted', message: 'ana can patch.', action: null };
  api.preview = answerWith({ findings: [passed, { ...managed, command }] as ActionAnswer['findings'] });
  open();
  await ready();
  const checks = within(screen.getByRole('region', { name: 'Checks' }));
  expect(checks.getByText(/2 checks passed/).closest('details')?.open).toBe(false);
  expect(checks.getAllByRole('listitem')[0]?.textContent).toContain('Managed by Argo CD.');
  expect(checks.getByRole('button', { name: `Copy ${command}` })).toBeTruthy();
  expect(checks.getByRole('link', { name: /Open in Argo CD/ }).getAttribute('href')).toMatch(
    /^https:.*shop$/,
  );
});

it('shows the YAML for the owner of a GitOps application to be copied', async () => {
  const manifest = 'kind: ApplicationSet\nspec: {}';
  const owner = { severity: 'warning', code: 'gitops_owner', message: 'Managed.', action: 'Change it.' };
  api.preview = answerWith({ findings: [{ ...owner, manifest }] as ActionAnswer['findings'] });
  open();
  await ready();
  const checks = within(screen.getByRole('region', { name: 'Checks' }));
  expect(checks.getByText(/kind: ApplicationSet/).textContent).toBe(manifest);
  expect(checks.getByRole('button', { name: 'Copy the YAML' })).toBeTruthy();
});

it('gives the reason for the default target', async () => {
  open();
  await ready();
  expect(screen.getByText('still serves with 9 ready pods')).toBeTruthy();
});

/** Revision 42 is the target again, as 44: what admission makes of 41. */
function rolledBack(): WorkloadDetail {
  const cause = 'rollback to revision 41, altered by admission (was 43): it crashes';
  const at = { startedAt: '2026-09-17T12:30:00Z', endedAt: null };
  const record = { id: 'r1', outcome: null, ...at, actor: null, cause };
  const lastRollout = {
    from: 43,
    to: 44,
    ...at,
    notAfter: null,
    writer: null,
    changeCause: cause,
    restart: false,
    record,
  };
  const before = { id: 'rs-43', number: 43, ran: true };
  const target = revision(44, { target: true, alsoNumbers: [42], before });
  return { ...detail({ lastRollout }, 44), revisions: [target, revision(43), revision(41)] };
}

it('says that it undoes a rollback, with its reason filled in and the focus in the form', async () => {
  api.action = action({ state: 'done', endedAt: '2026-09-17T12:31:00Z' });
  api.write = () => {
    api.detail = rolledBack();
    return Response.json(answer({ applied: true, result: { actionId: 'a1', state: 'accepted' } }));
  };
  const user = open();
  await ready();
  await user.click(await confirmButton());
  await user.click(await screen.findByRole('button', { name: /^Undo/ }));
  const dialog = await screen.findByRole('dialog', {
    name: /^Undo rollback of checkout \(rev 44 → rev 43\)/,
  });
  expect(screen.getByLabelText('Reason')).toHaveProperty('value', 'Undo: it crashes');
  await waitFor(() => expect(api.previews.length).toBeGreaterThan(1));
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
});
