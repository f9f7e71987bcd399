import { expect, it } from 'vitest';
import { confirmBlockedReason, type ConfirmInput } from '@/components/action-dialog/confirm-blocked-reason';
import { answer } from '@/components/action-dialog/testing/fixtures';
import { AppError } from '@/lib/errors';

const ready: ConfirmInput = {
  isChosen: true,
  stale: null,
  isChanged: false,
  preview: { data: answer(), error: null, message: '' },
  needsDiff: true,
};
const preview = (data: ConfirmInput['preview']['data']) => ({
  ...ready,
  preview: { ...ready.preview, data },
});

it('allows an action that was shown, dry-run and checked without a refusal', () => {
  expect(confirmBlockedReason(ready)).toBeNull();
});

it('allows nothing whose diff or dry run is missing', () => {
  expect(confirmBlockedReason(preview(answer({ diff: null })))).toMatch(/could not be determined/);
  expect(confirmBlockedReason(preview(answer({ dryRun: null })))).toMatch(/dry run is not available/);
  expect(confirmBlockedReason(preview(undefined))).toMatch(/Running checks/);
});

it('requires no diff where the template does not change', () => {
  expect(confirmBlockedReason({ ...preview(answer({ diff: null })), needsDiff: false })).toBeNull();
});

it("gives the API server's own words when it rejected the dry run", () => {
  const dryRun = { accepted: false, message: 'denied by policy.shop', at: '2026-09-17T12:32:06Z' };
  expect(confirmBlockedReason(preview(answer({ dryRun })))).toContain('denied by policy.shop');
});

it('gives the refusal as the reason', () => {
  const findings = [
    { severity: 'refusal' as const, code: 'paused', message: 'checkout is paused.', action: null },
  ];
  expect(confirmBlockedReason(preview(answer({ findings, plan: null })))).toBe('checkout is paused.');
});

it('allows nothing while the page is stale or the workload has changed', () => {
  expect(confirmBlockedReason({ ...ready, stale: 'prod-eu is unreachable.' })).toBe(
    'prod-eu is unreachable.',
  );
  expect(confirmBlockedReason({ ...ready, isChanged: true })).toMatch(/review it again/);
});

it('gives the failure of the preview as the reason', () => {
  const error = new AppError('forbidden', 'You may not patch deployments.');
  expect(
    confirmBlockedReason({ ...ready, preview: { data: undefined, error, message: error.message } }),
  ).toBe(error.message);
});
