import { expect, it } from 'vitest';
import { confirmBlock, type ConfirmInput } from '@/components/rollback/confirm-block';
import { answer } from '@/components/rollback/fixtures';
import { AppError } from '@/lib/errors';

const ready: ConfirmInput = {
  isChosen: true,
  isStale: false,
  isChanged: false,
  preview: { data: answer(), error: null, message: '' },
  needsDiff: true,
};
const preview = (data: ConfirmInput['preview']['data']) => ({
  ...ready,
  preview: { ...ready.preview, data },
});

it('offers what was seen, tried and found without a refusal', () => {
  expect(confirmBlock(ready)).toBeNull();
});

it('offers nothing whose difference or dry run is missing', () => {
  expect(confirmBlock(preview(answer({ diff: null })))).toMatch(/What would change/);
  expect(confirmBlock(preview(answer({ dryRun: null })))).toMatch(/could not be asked for a dry run/);
  expect(confirmBlock(preview(undefined))).toMatch(/Running checks/);
});

it('does without a difference where the template stays', () => {
  expect(confirmBlock({ ...preview(answer({ diff: null })), needsDiff: false })).toBeNull();
});

it("says the API server's own words when its dry run said no", () => {
  const dryRun = { accepted: false, message: 'denied by policy.shop', at: '2026-09-17T12:32:06Z' };
  expect(confirmBlock(preview(answer({ dryRun })))).toContain('denied by policy.shop');
});

it('gives the refusal as the reason', () => {
  const findings = [
    { severity: 'refusal' as const, code: 'paused', message: 'checkout is paused.', action: null },
  ];
  expect(confirmBlock(preview(answer({ findings, plan: null })))).toBe('checkout is paused.');
});

it('offers nothing while the page is stale or the workload has changed', () => {
  expect(confirmBlock({ ...ready, isStale: true })).toMatch(/connection/);
  expect(confirmBlock({ ...ready, isChanged: true })).toMatch(/look again/);
});

it('gives the failure of the preview as the reason', () => {
  const error = new AppError('forbidden', 'You may not patch deployments.');
  expect(confirmBlock({ ...ready, preview: { data: undefined, error, message: error.message } })).toBe(
    error.message,
  );
});
